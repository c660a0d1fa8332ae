/** Longer than anybody reads without moving a finger; shorter than a session may idle. */
const INACTIVE_AFTER_MS = 120_000

let lastActivity = Date.now()
for (const kind of ['pointerdown', 'keydown', 'wheel'] as const) {
  window.addEventListener(kind, () => (lastActivity = Date.now()), { passive: true })
}

/** Whether nobody seems to be there: what the page asks for by itself then does not keep the session alive. */
export function isInactive(): boolean {
  return Date.now() - lastActivity > INACTIVE_AFTER_MS
}
