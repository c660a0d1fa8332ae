import { HOURS } from '#contract/console-api/pages/overview.ts'
import type { OperationState } from '../../ui/states.ts'
import { joinClauses } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

const HOUR_MS = 3_600_000

/** The result of an operation in the plot; all unfinished states are one result. */
export const RESULTS = ['SUCCEEDED', 'IN_PROGRESS', 'TAKEN_OVER', 'FAILED'] as const
export type Result = (typeof RESULTS)[number]

const resultOf: Record<OperationState, Result> = {
  PENDING: 'IN_PROGRESS',
  RUNNING: 'IN_PROGRESS',
  WAITING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  TAKEN_OVER: 'TAKEN_OVER',
}

export type HourCount = { from: number; to: number; counts: Record<Result, number>; total: number }

/** Every hour of the plot, including empty ones. */
export function hoursOf(
  buckets: readonly { since: string; counts: { [State in OperationState]?: number | undefined } }[],
  first: number,
): HourCount[] {
  const bySince = new Map(buckets.map(({ since, counts }) => [Date.parse(since), counts]))
  return Array.from({ length: HOURS }, (_, index) => {
    const from = first + index * HOUR_MS
    const counts: Record<Result, number> = { SUCCEEDED: 0, IN_PROGRESS: 0, TAKEN_OVER: 0, FAILED: 0 }
    for (const [state, count] of Object.entries(bySince.get(from) ?? {}))
      counts[resultOf[state as OperationState]] += count ?? 0
    const total = RESULTS.reduce((sum, result) => sum + counts[result], 0)
    return { from, to: from + HOUR_MS, counts, total }
  })
}

export function totalsOf(hours: readonly HourCount[]): Record<Result, number> & { all: number } {
  const totals = { SUCCEEDED: 0, IN_PROGRESS: 0, TAKEN_OVER: 0, FAILED: 0, all: 0 }
  for (const { counts, total } of hours) {
    for (const result of RESULTS) totals[result] += counts[result]
    totals.all += total
  }
  return totals
}

/** "44 succeeded, 2 failed": only results that occur. */
export function partsText(counts: HourCount['counts'], t: Translate): string {
  const results = RESULTS.filter((result) => counts[result] > 0)
  return joinClauses(
    t,
    results.map((result) => t(`overview.plot.part.${result}`, { n: counts[result] })),
  )
}
