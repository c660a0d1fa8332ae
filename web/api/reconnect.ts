const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 15_000
/** The longest wait that a server can ask for. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * How long to wait before the event stream is opened again, in milliseconds. It doubles with each failure, is never
 * shorter than what the server asked for with `Retry-After`, and varies by half, so that the tabs of many people do not
 * return at the same moment.
 *
 * @param failures in a row, 1 or more.
 * @param retryAfter the header as it came, or null. Only seconds are understood.
 */
export function reconnectDelay(
  failures: number,
  retryAfter: string | null,
  random: () => number = Math.random,
): number {
  const backoff = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (failures - 1))
  const requested = /^\d{1,4}$/.test(retryAfter ?? '')
    ? Math.min(MAX_RETRY_AFTER_MS, Number(retryAfter) * 1000)
    : 0
  return Math.max(backoff, requested) * (1 + random() / 2)
}
