import type { Locale } from './catalogue.ts'
import { localeState } from './locale.ts'
import type { Translate } from './use-text.ts'

/** Dates, times and durations in the given language. Creating a `DateTimeFormat` is expensive, so they are cached. */
const formats = new Map<string, Intl.DateTimeFormat>()

function dateTime(locale: Locale, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${name}`
  const known = formats.get(key)
  if (known) return known
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'zh-CN', options)
  formats.set(key, format)
  return format
}

const currentLocale = (): Locale => localeState().locale

export function formatNumber(value: number): string {
  return localeState().number.format(value)
}

const DATE = { month: 'short', day: '2-digit' } as const
// h23, because `hour12: false` may write midnight as 24:00
const MINUTES = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const SECONDS = { ...MINUTES, second: '2-digit' } as const
const LOCAL = { year: 'numeric', ...DATE, ...SECONDS } as const

/** `22 Nov 2026, 15:40:38 (GMT+8)` or `2026年11月22日 15:40:38 (GMT+8)`, in the person's time zone. */
export function formatLocalTime(at: number, locale = currentLocale()): string {
  return withZone(dateTime(locale, 'local', LOCAL).format(at), at, locale)
}

/** Like {@link formatLocalTime}, to the millisecond. */
export function formatExactTime(at: number, locale = currentLocale()): string {
  return withZone(dateTime(locale, 'exact', { ...LOCAL, fractionalSecondDigits: 3 }).format(at), at, locale)
}

/** Formatted separately: Chinese would put the zone between the date and the time. */
function withZone(text: string, at: number, locale: Locale): string {
  const zone = dateTime(locale, 'zone', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
  return zone ? `${text} (${zone.value})` : text
}

/** `2026-11-21 14:03:12 UTC`, for tickets. */
export function formatUtcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `21 Nov, 14:03`; the date alone for another year. */
export function formatShortTime(at: number, now: number, locale = currentLocale()): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return sameYear
    ? dateTime(locale, 'short', { ...DATE, ...MINUTES }).format(at)
    : dateTime(locale, 'date', { year: 'numeric', ...DATE }).format(at)
}

/** `21 Nov`. */
export function formatDay(at: number, locale = currentLocale()): string {
  return dateTime(locale, 'day', DATE).format(at)
}

export function formatClockTime(at: number, locale = currentLocale()): string {
  return dateTime(locale, 'clock', SECONDS).format(at)
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Unit = 'days' | 'hours' | 'minutes' | 'seconds'
const UNITS: readonly (readonly [Unit, number])[] = [
  ['days', DAY],
  ['hours', HOUR],
  ['minutes', MINUTE],
  ['seconds', SECOND],
]

/** `4 min ago`, `in 12 s`; a date beyond a week. */
export function formatRelativeTime(at: number, now: number, t: Translate): string {
  const distance = Math.abs(at - now)
  if (distance >= 7 * DAY) return formatShortTime(at, now)
  const unit = UNITS.find(([, size]) => distance >= size)
  if (!unit) return t('common.time.now')
  const [name, size] = unit
  return t(`common.time.${at < now ? 'past' : 'future'}.${name}`, { n: Math.floor(distance / size) })
}

/** `412 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 days 4 h`: at most two units. */
export function formatDuration(ms: number, t: Translate): string {
  if (ms < SECOND) return t('common.duration.milliseconds', { n: Math.round(ms) })
  if (ms < 10 * SECOND) return t('common.duration.seconds', { n: Math.round(ms / 100) / 10 })
  if (ms < MINUTE) return t('common.duration.seconds', { n: Math.floor(ms / SECOND) })
  const two = (first: Unit, size: number, second: Unit, part: number) => {
    const head = t(`common.duration.${first}`, { n: Math.floor(ms / size) })
    const rest = Math.floor((ms % size) / part)
    return rest === 0 ? head : `${head} ${t(`common.duration.${second}`, { n: rest })}`
  }
  if (ms < HOUR) return two('minutes', MINUTE, 'seconds', SECOND)
  if (ms < DAY) return two('hours', HOUR, 'minutes', MINUTE)
  return two('days', DAY, 'hours', HOUR)
}

/** A duration for small spaces: only its largest unit, rounded down. */
export function formatRoughDuration(ms: number, t: Translate): string {
  const [name, size] = UNITS.find(([, candidate]) => ms >= candidate) ?? (['milliseconds', 1] as const)
  return t(`common.duration.${name}`, { n: Math.floor(ms / size) })
}
