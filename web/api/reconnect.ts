const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 15_000
/** The maximum `Retry-After` that is respected. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * How long to wait before the event stream is reopened, in milliseconds. It doubles with each failure, is never
 * shorter than the server's `Retry-After`, and has up to 50 % jitter, so that the tabs of many people do not
 * reconnect at the same moment.
 *
 * @param failures consecutive failures, at least 1.
 * @param retryAfter the header, or null. Only the form in seconds is supported.
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
