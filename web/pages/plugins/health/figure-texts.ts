import { formatDuration, formatNumber } from '../../../i18n/format.ts'
import type { Translate } from '../../../i18n/use-text.ts'

export const durationText = (ms: number | null, t: Translate): string =>
  ms === null ? '–' : formatDuration(ms, t)
export const percentText = (share: number | null, t: Translate): string =>
  share === null ? '–' : t('pluginHealth.percent', { n: rounded(share) })
export const numberText = (value: number | null): string =>
  value === null ? '–' : formatNumber(rounded(value))

const rounded = (value: number): number => Math.round(value * 10) / 10
