import { isBrowser } from '../base/environment.ts'

let isPressed = false
let waiting: (() => void)[] = []

/**
 * Calls back at once, or after the current mouse press: a layout change between press and release would make the click
 * miss its target.
 */
export function afterMousePress(callback: () => void): void {
  if (isPressed) waiting.push(callback)
  else callback()
}

function release(): void {
  isPressed = false
  const due = waiting
  waiting = []
  // the click follows the release, in the same task
  setTimeout(() => due.forEach((callback) => callback()))
}

if (isBrowser) {
  addEventListener('pointerdown', () => (isPressed = true), { capture: true })
  addEventListener('pointerup', release, { capture: true })
  addEventListener('pointercancel', release, { capture: true })
}
