import { isBrowser } from '../base/environment.ts'

/** Longer than people read without any input; shorter than the idle timeout of a session. */
const INACTIVE_AFTER_MS = 120_000

let lastActivity = Date.now()
for (const kind of isBrowser ? (['pointerdown', 'keydown', 'wheel'] as const) : []) {
  window.addEventListener(kind, () => (lastActivity = Date.now()), { passive: true })
}

/** Whether there has been no recent input; background requests then do not extend the session. */
export function isInactive(): boolean {
  return Date.now() - lastActivity > INACTIVE_AFTER_MS
}
