/** As in the runtime's contract; a test compares them. */
export const BATCH_TARGETS_MAX = 1_000
export const BATCH_CONCURRENCY_MAX = 50

/** As typed. */
export interface Limits {
  first: string
  concurrency: string
  failures: string
}
export const NO_LIMITS: Limits = { first: '', concurrency: '5', failures: '' }

/** The limits to send; what is empty or not a number is left out. */
export function limitsIn({ first, concurrency, failures }: Limits) {
  const whole = (text: string, max: number) => {
    const number = Number(text)
    return Number.isInteger(number) && number >= 1 ? Math.min(number, max) : undefined
  }
  const known = {
    first: whole(first, BATCH_TARGETS_MAX),
    stopAfterFailures: whole(failures, BATCH_TARGETS_MAX),
  }
  return {
    concurrency: whole(concurrency, BATCH_CONCURRENCY_MAX) ?? 5,
    ...(known.first !== undefined && { first: known.first }),
    ...(known.stopAfterFailures !== undefined && { stopAfterFailures: known.stopAfterFailures }),
  }
}
