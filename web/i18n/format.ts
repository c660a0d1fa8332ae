import type { Formats } from './messages.ts'
import { localeState } from './locale.ts'
import type { Translate } from './use-text.ts'
import { localDate, zoneOffset } from './zone.ts'

const currentFormats = (): Formats => localeState().formats

export function formatNumber(value: number): string {
  return localeState().formatNumber(value)
}

// Dates and times are put together here: the first `DateTimeFormat` of a page takes as long as rendering a list of them.

/** `22 Nov 2026, 15:40:38 (UTC+8)` or `2026年11月22日 15:40:38 (UTC+8)`, in the person's time zone. */
export function formatLocalTime(at: number, formats = currentFormats()): string {
  return localTime(at, formatClockTime(at), formats)
}

/** Like {@link formatLocalTime}, to the minute, for a time that a person chose. */
export function formatMinute(at: number, formats = currentFormats()): string {
  return localTime(at, formatTimeOfDay(at), formats)
}

/** Like {@link formatLocalTime}, to the millisecond. */
export function formatExactTime(at: number, formats = currentFormats()): string {
  const milliseconds = String(new Date(at).getMilliseconds()).padStart(3, '0')
  return localTime(at, `${formatClockTime(at)}.${milliseconds}`, formats)
}

function localTime(at: number, clockTime: string, formats: Formats): string {
  return `${formats.moment(withYear(at, formats), clockTime)} (${zoneOf(at)})`
}

/** The person's zone at a moment: `UTC+8`, `UTC-3:30`, `UTC`. */
export const zoneOf = (at: number): string => offsetText(zoneOffset(at))

/** An offset from UTC in minutes: `UTC+8`, `UTC-3:30`, `UTC`. */
export function offsetText(offset: number): string {
  if (offset === 0) return 'UTC'
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `UTC${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`
}

/** `2026-11-21 14:03:12 UTC`, for tickets. */
export function formatUtcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `21 Nov, 14:03`; the date alone for another year. */
export function formatShortTime(at: number, now: number, formats = currentFormats()): string {
  if (localDate(at).getUTCFullYear() !== localDate(now).getUTCFullYear()) return withYear(at, formats)
  return formats.moment(formatDay(at, formats), formatTimeOfDay(at))
}

/** `21 Nov`. */
export function formatDay(at: number, formats = currentFormats()): string {
  const date = localDate(at)
  return formats.day(date.getUTCDate(), date.getUTCMonth() + 1)
}

/** `21 Nov 2026`. */
export const formatDate = (at: number): string => withYear(at, currentFormats())

/** `14:03:12`. */
export function formatClockTime(at: number): string {
  const date = localDate(at)
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(':')
}

/** `14:03`. */
export const formatTimeOfDay = (at: number): string => formatClockTime(at).slice(0, 5)

const withYear = (at: number, formats: Formats): string =>
  formats.dayOfYear(formatDay(at, formats), localDate(at).getUTCFullYear())

const twoDigits = (value: number): string => String(value).padStart(2, '0')

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

/** `4 min ago`, `in 12 s`; a date beyond a week, or `43 days ago` for an age. */
export function formatRelativeTime(at: number, now: number, t: Translate, isAge = false): string {
  const distance = Math.abs(at - now)
  if (distance >= 7 * DAY && !isAge) return formatShortTime(at, now)
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
