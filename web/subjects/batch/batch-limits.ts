import type { Batch } from '#contract/console-api/shapes.ts'
import { invalidWaves, typedFrom, wavesIn, type TypedWaves } from './typed-waves.ts'

/** As in the runtime's contract; a test compares them. */
export const BATCH_TARGETS_MAX = 1_000
export const BATCH_CONCURRENCY_MAX = 50

/** As typed. */
export interface Limits {
  first: string
  concurrency: string
  failures: string
  /** Absent if it is not divided. */
  waves?: TypedWaves | undefined
}
export const NO_LIMITS: Limits = { first: '', concurrency: '5', failures: '' }

type Limit = Exclude<keyof Limits, 'waves'>

/** Each limit is empty or a whole number from 1 to this. */
export const LIMIT_MAX: Readonly<Record<Limit, number>> = {
  first: BATCH_TARGETS_MAX,
  concurrency: BATCH_CONCURRENCY_MAX,
  failures: BATCH_TARGETS_MAX,
}

/** The limits that are not valid. A batch is not sent with them: without its limit it would do more than intended. */
export function invalidLimits(limits: Limits): ReadonlySet<keyof Limits> {
  const names = ['first', 'concurrency', 'failures'] as const
  const invalid = names.filter(
    (name) => limits[name].trim() !== '' && wholeIn(limits[name], LIMIT_MAX[name]) === null,
  )
  const hasWaves = limits.waves !== undefined && invalidWaves(limits.waves).size > 0
  return new Set([...invalid, ...(hasWaves ? (['waves'] as const) : [])])
}

/** The limits to send, all of them valid; an empty one is omitted. */
export function limitsIn(limits: Limits) {
  const first = wholeIn(limits.first, LIMIT_MAX.first)
  const waves = limits.waves && wavesIn(limits.waves)
  const stopAfterFailures = wholeIn(limits.failures, LIMIT_MAX.failures)
  return {
    concurrency: wholeIn(limits.concurrency, LIMIT_MAX.concurrency) ?? Number(NO_LIMITS.concurrency),
    ...(first !== null && { first }),
    ...(stopAfterFailures !== null && { stopAfterFailures }),
    ...(waves && { waves }),
  }
}

/** The limits with which a batch was made, or for which a change request asks. */
export interface LimitsMade {
  first?: number | null | undefined
  concurrency?: number | undefined
  stopAfterFailures?: number | null | undefined
  waves?: Batch['waves'] | undefined
}

/** The same as typed, to begin with them. */
export const limitsOf = (
  { first, concurrency, stopAfterFailures, waves }: LimitsMade,
  environments: string[],
): Limits => ({
  first: String(first ?? ''),
  concurrency: String(concurrency ?? NO_LIMITS.concurrency),
  failures: String(stopAfterFailures ?? ''),
  ...(waves && { waves: typedFrom(waves, environments) }),
})

function wholeIn(text: string, max: number): number | null {
  if (!/^\d+$/.test(text.trim())) return null
  const number = Number(text)
  return number >= 1 && number <= max ? number : null
}
