const FIRST_MS = 1_000

/**
 * The delay before the next attempt, in milliseconds: one second after the first attempt of a run, then doubling up to
 * `maxMs`. Half of it is jitter (`fraction`, uniform in [0, 1)), so that calls that failed together are not repeated
 * together.
 */
export function backoffMs({
  attempts,
  maxMs,
  fraction,
}: {
  attempts: number
  maxMs: number
  fraction: number
}): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), maxMs)
  return Math.round(full / 2 + (full / 2) * fraction)
}
