import type { Translate } from '../../../i18n/use-text.ts'

const FIELD = /^(\*|\d{1,2})$/
const STEP = /^\*\/(\d{1,2})$/
const DAYS = /^[0-7](?:[,-][0-7])*$/

/**
 * A schedule in words, if there is a plain description: every n minutes or hours, hourly, daily, on some days of the
 * week, or on a day of the month. Null for anything else, because an imprecise description is worse than none.
 */
export function describeCron(
  text: string,
  t: Translate,
  nameDays: (weekdays: readonly number[]) => string,
): string | null {
  const fields = text.trim().split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5 || month !== '*') return null
  const everyDay = day === '*' && weekday === '*'
  const minutes = STEP.exec(minute)?.[1]
  if (minutes !== undefined && hour === '*' && everyDay && 60 % Number(minutes) === 0)
    return t('forms.cron.everyMinutes', { n: Number(minutes) })
  if (minute === '*' && hour === '*' && everyDay) return t('forms.cron.everyMinutes', { n: 1 })
  if (!isNumber(minute, 59)) return null
  const hours = STEP.exec(hour)?.[1]
  if (hours !== undefined && everyDay && 24 % Number(hours) === 0)
    return t('forms.cron.everyHours', { n: Number(hours), minute: two(minute) })
  if (hour === '*' && everyDay) return t('forms.cron.everyHours', { n: 1, minute: two(minute) })
  if (!isNumber(hour, 23)) return null
  const time = `${two(hour)}:${two(minute)}`
  if (everyDay) return t('forms.cron.daily', { time })
  if (day === '*' && DAYS.test(weekday)) {
    const days = daysOf(weekday)
    return days === null ? null : t('forms.cron.weekly', { time, days: nameDays(days) })
  }
  return weekday === '*' && isNumber(day, 31)
    ? t('forms.cron.monthly', { time, day: String(Number(day)) })
    : null
}

/** The days of a weekday field; Sunday is 0 and 7. Null for a range that runs backwards. */
function daysOf(field: string): number[] | null {
  const days = new Set<number>()
  for (const part of field.split(',')) {
    const [from = 0, to = from] = part.split('-').map(Number)
    if (to < from) return null
    for (let day = from; day <= to; day++) days.add(day % 7)
  }
  // most readers expect a week to start on Monday
  return [...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
}

const isNumber = (field: string, max: number): boolean =>
  FIELD.test(field) && field !== '*' && Number(field) <= max

const two = (field: string): string => field.padStart(2, '0')
