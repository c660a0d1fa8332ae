import { localeState } from './locale.ts'

/** Numbers, dates and durations as the locale that is shown writes them. Formatters are costly, so each is made once. */
const made = new Map<string, Intl.DateTimeFormat | Intl.RelativeTimeFormat>()

function dateTime(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { locale } = localeState()
  const key = `${locale} ${name}`
  const known = made.get(key)
  if (known instanceof Intl.DateTimeFormat) return known
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'zh-CN', options)
  made.set(key, format)
  return format
}

function relative(): Intl.RelativeTimeFormat {
  const { locale } = localeState()
  const key = `${locale} relative`
  const known = made.get(key)
  if (known instanceof Intl.RelativeTimeFormat) return known
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' })
  made.set(key, format)
  return format
}

export function formatNumber(value: number): string {
  return localeState().number.format(value)
}

const WHOLE: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
}

/** 21 Nov 2026, 14:03:12 in the person's zone, with the zone's name. */
export function formatLocalTime(at: number): string {
  return dateTime('local', { ...WHOLE, timeZoneName: 'short' }).format(at)
}

/** 2026-11-21 14:03:12 UTC: what goes into a ticket. */
export function formatUtcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** 21 Nov 14:03, for things that are older than a week. */
export function formatShortTime(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return sameYear
    ? dateTime('short', {
        month: 'short',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        hour12: false,
      }).format(at)
    : dateTime('short-year', { year: 'numeric', month: 'short', day: '2-digit' }).format(at)
}

export function formatClockTime(at: number): string {
  return dateTime('clock', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(
    at,
  )
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** "4 min ago", "in 12 s"; a date beyond a week. */
export function formatRelativeTime(at: number, now: number): string {
  const distance = at - now
  const size = Math.abs(distance)
  if (size >= 7 * DAY) return formatShortTime(at, now)
  if (size >= DAY) return relative().format(Math.trunc(distance / DAY), 'day')
  if (size >= HOUR) return relative().format(Math.trunc(distance / HOUR), 'hour')
  if (size >= MINUTE) return relative().format(Math.trunc(distance / MINUTE), 'minute')
  return relative().format(Math.trunc(distance / 1000), 'second')
}

/** 412 ms · 3.2 s · 4 min 10 s · 2 h 5 min · 3 d 4 h */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`
  if (ms < HOUR) return two(ms, MINUTE, 'min', 1000, 's')
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min')
  return two(ms, DAY, 'd', HOUR, 'h')
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small)
  const head = `${Math.floor(ms / big)} ${bigName}`
  return rest === 0 ? head : `${head} ${rest} ${smallName}`
}
