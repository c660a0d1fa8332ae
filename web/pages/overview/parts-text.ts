import { joinClauses } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { RESULTS, type HourCount } from './plot.ts'

/** "44 succeeded, 2 failed": only results that occur. */
export function partsText(counts: HourCount['counts'], t: Translate): string {
  const results = RESULTS.filter((result) => counts[result] > 0)
  return joinClauses(
    t,
    results.map((result) => t(`overview.plot.part.${result}`, { n: counts[result] })),
  )
}
