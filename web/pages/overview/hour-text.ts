import { formatClockTime } from '../../i18n/format.ts'

/** `14:00` in the person's time zone. */
export const hourText = (at: number): string => formatClockTime(at).slice(0, 5)
