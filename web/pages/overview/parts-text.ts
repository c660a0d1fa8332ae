import type { Translate } from '../../i18n/use-text.ts'
import { RESULTS, type HourCount } from './plot.ts'

/** "44 succeeded, 2 failed": only what there is. */
export function partsText(counts: HourCount['counts'], t: Translate): string {
  return RESULTS.filter((result) => counts[result] > 0)
    .map((result) => t('overview.plot.part', { n: counts[result], result: t(`overview.result.${result}`) }))
    .join(', ')
}
