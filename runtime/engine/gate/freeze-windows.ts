import { WEEKDAYS } from '#contract/runtime-api/vocabulary.ts'
import type { Weekly } from '#contract/runtime-api/freezes.ts'

// When a freeze blocks. Times of a weekly freeze are those that a clock in its zone shows, so the days on which the clock is set
// are shorter or longer. Where a time exists twice, the freeze begins at the first and ends at the second; where it is skipped, it
// begins before and ends after the gap: a freeze is never shorter than it was written.

/** When changes are refused: from the first moment until before the second, in milliseconds since 1970. */
export interface Window {
  from: number
  to: number
}

/** Once, or every week; times are RFC 3339 in UTC. */
export interface FreezeTimes {
  from: string | null
  to: string | null
  weekly: Weekly | null
  timeZone: string
}

const DAY = 86_400_000
/** Weekly freezes that follow each other for longer never end. */
const WEEK = 9 * DAY

/**
 * Until when changes are refused without a gap, if they are at the moment `at`; windows that follow each other, of one freeze or of
 * several, are one. `until` is Infinity if they never end. Null if nothing is refused at that moment.
 */
export function frozenUntil(freezes: readonly FreezeTimes[], at: number): { until: number } | null {
  let until = at
  // since when only weekly freezes follow each other
  let weeklySince = at
  while (until - weeklySince <= WEEK) {
    const before = until
    const windows = freezes.flatMap((freeze) =>
      windowsAround(freeze, before).map((window) => ({ ...window, isOnce: freeze.weekly === null })),
    )
    for (const { from, to, isOnce } of windows.toSorted((one, other) => one.from - other.from)) {
      if (from > until) break
      if (to <= until) continue
      until = to
      if (isOnce) weeklySince = to
    }
    if (until === before) return until === at ? null : { until }
  }
  return { until: Infinity }
}

/** The first window of a freeze that begins after a moment; null if there is none. */
export function nextWindow(freeze: FreezeTimes, at: number): Window | null {
  if (freeze.weekly === null) return windowsAround(freeze, at).find(({ from }) => from > at) ?? null
  // every day of the week comes within eight days, also where a day was skipped
  for (let day = 0; day <= 8; day++) {
    const later = windowsAround(freeze, at + day * DAY).filter(({ from }) => from > at)
    if (later.length > 0) return later.reduce((one, other) => (other.from < one.from ? other : one))
  }
  return null
}

/**
 * The windows of a freeze that touch a time, in order. Those that follow each other without a gap are one; one that never ends is
 * cut a week before and after the time.
 */
export function windowsIn(freeze: FreezeTimes, { from, to }: Window): Window[] {
  const all = new Map<number, Window>()
  // each step finds the windows of three days, of which one may be shorter
  for (let at = from - WEEK; at < to + WEEK; at += 2 * DAY)
    for (const window of windowsAround(freeze, at)) all.set(window.from, window)
  const joined: Window[] = []
  for (const window of [...all.values()].toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last !== undefined && window.from <= last.to) last.to = Math.max(last.to, window.to)
    else joined.push({ ...window })
  }
  return joined.filter((window) => window.from < to && window.to > from)
}

/** When a day of a zone, such as 2026-11-29, begins. */
export const startOfDay = (day: string, timeZone: string): number =>
  Math.min(...momentsOf(Date.parse(`${day}T00:00:00.000Z`), timeZone))

/** The day that a calendar in a zone shows at a moment. */
export const dayAt = (at: number, timeZone: string): string =>
  new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10)

/** The windows that begin on the local day of a moment, the day before or the day after; the one of a freeze that comes once. */
function windowsAround({ from, to, weekly, timeZone }: FreezeTimes, at: number): Window[] {
  if (weekly === null)
    return from === null || to === null ? [] : [{ from: Date.parse(from), to: Date.parse(to) }]
  const today = Math.floor((at + offsetAt(at, timeZone)) / DAY) * DAY
  return [-DAY, 0, DAY].flatMap((shift) => {
    const midnight = today + shift
    // 1970 began on a Thursday
    const weekday = WEEKDAYS[(((midnight / DAY + 3) % 7) + 7) % 7]
    if (weekday === undefined || !weekly.days.includes(weekday)) return []
    const [begins, ends] = [timeOfDay(weekly.from), timeOfDay(weekly.to)]
    const lastDay = ends > begins ? midnight : midnight + DAY
    return [
      {
        from: Math.min(...momentsOf(midnight + begins, timeZone)),
        to: Math.max(...momentsOf(lastDay + ends, timeZone)),
      },
    ]
  })
}

function timeOfDay(text: string): number {
  const [hours, minutes] = text.split(':')
  return (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** When a clock in the zone shows a local time: once, twice, or around the gap that skips it. */
function momentsOf(local: number, timeZone: string): number[] {
  const guesses = [local - DAY, local + DAY].map((near) => local - offsetAt(near, timeZone))
  const exact = guesses.filter((guess) => guess + offsetAt(guess, timeZone) === local)
  return exact.length > 0 ? exact : guesses
}

interface Zone {
  format: Intl.DateTimeFormat
  /** By quarter of an hour: since 1973, a zone changes its offset at no other time. */
  offsets: Map<number, number>
}
const zones = new Map<string, Zone>()
let kept = 0
const QUARTER = 900_000
/** Of all zones: anybody may ask for each of them, in any year. */
const OFFSETS_MAX = 20_000

/** How far the local time of a zone is ahead of UTC, in milliseconds. Kept, because a format costs as much as a hundred look-ups. */
function offsetAt(at: number, timeZone: string): number {
  const quarter = Math.floor(at / QUARTER)
  if (kept >= OFFSETS_MAX) {
    zones.clear()
    kept = 0
  }
  let zone = zones.get(timeZone)
  if (zone === undefined) {
    // the fields of `sv` are written like ISO 8601
    const format = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone })
    zone = { format, offsets: new Map() }
    zones.set(timeZone, zone)
  }
  const { format, offsets } = zone
  const known = offsets.get(quarter)
  if (known !== undefined) return known
  const begins = quarter * QUARTER
  const offset = Date.parse(`${format.format(begins).replace(' ', 'T')}Z`) - begins
  offsets.set(quarter, offset)
  kept += 1
  return offset
}
