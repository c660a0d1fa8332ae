let isPressed = false
let waiting: (() => void)[] = []

/**
 * Calls back at once, or after a press of the mouse that is under way: what moves the page between the press and its
 * release makes the click miss.
 */
export function afterPress(callback: () => void): void {
  if (isPressed) waiting.push(callback)
  else callback()
}

function release(): void {
  isPressed = false
  const due = waiting
  waiting = []
  // the click comes after the release, in the same task
  setTimeout(() => due.forEach((callback) => callback()))
}

addEventListener('pointerdown', () => (isPressed = true), { capture: true })
addEventListener('pointerup', release, { capture: true })
addEventListener('pointercancel', release, { capture: true })
