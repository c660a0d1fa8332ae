import type { CALENDAR_VIEWS } from '#contract/console-api/pages/calendar.ts'
import type { Calendar, ChangeRequest } from '#contract/console-api/shapes.ts'
import { localeState } from '../../i18n/locale.ts'

// A day is a text such as 2026-11-29, so that adding days never meets a change of the clock. A week begins on Monday.

export type CalendarView = (typeof CALENDAR_VIEWS)[number]
export type Counts = Calendar['operations'][number]['counts']

const DAY_MS = 86_400_000
const at = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

/** The day as a date, for `dateFormat`. */
export const dateOf = (day: string): Date => new Date(at(day))

/** Formats days in the language of the person. */
export const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(localeState().formats.tag, { ...options, timeZone: 'UTC' })

export const addDays = (day: string, n: number): string =>
  new Date(at(day) + n * DAY_MS).toISOString().slice(0, 10)

/** Monday is 0. */
const weekday = (day: string): number => (new Date(at(day)).getUTCDay() + 6) % 7

/** The first day that is shown, and how many: a week, or all weeks of a month. */
export function shownDays(view: CalendarView, day: string): { from: string; days: number } {
  if (view === 'week') return { from: addDays(day, -weekday(day)), days: 7 }
  const first = `${day.slice(0, 8)}01`
  const from = addDays(first, -weekday(first))
  const last = addDays(addMonths(first, 1), -1)
  return { from, days: (at(last) - at(from)) / DAY_MS + 7 - weekday(last) }
}

/** The same day of another month, or its last one. */
export function addMonths(day: string, n: number): string {
  const date = new Date(at(`${day.slice(0, 8)}01`))
  date.setUTCMonth(date.getUTCMonth() + n)
  const month = date.toISOString().slice(0, 8)
  const first = date.getTime()
  date.setUTCMonth(date.getUTCMonth() + 1)
  const length = (date.getTime() - first) / DAY_MS
  return `${month}${String(Math.min(Number(day.slice(8)), length)).padStart(2, '0')}`
}

/** When a day begins for the person, in milliseconds since 1970. */
export const startOf = (day: string): number => new Date(`${day}T00:00:00`).getTime()

/** What is on one day. Times are in milliseconds since 1970. */
export interface DayEntries {
  /** Windows of freezes; null where they began before the day, or go on after it. */
  freezes: { name: string; message: string; from: number | null; to: number | null }[]
  changeRequests: { request: ChangeRequest; from: number | null }[]
  counts: Counts
}

/** A request is on every day of its schedule. One that has ended is on the day of its end, or the nearest one of its schedule. */
export function entriesOfDay(calendar: Calendar, day: string): DayEntries {
  const [begins, ends] = [startOf(day), startOf(addDays(day, 1))]
  const within = (moment: number) => (moment >= begins && moment < ends ? moment : null)
  return {
    freezes: calendar.freezes.flatMap(({ name, message, windows }) =>
      windows.flatMap((window) => {
        const [from, to] = [Date.parse(window.from), Date.parse(window.to)]
        if (to <= begins || from >= ends) return []
        return [{ name, message, from: from > begins ? from : null, to: to < ends ? to : null }]
      }),
    ),
    changeRequests: calendar.changeRequests.flatMap((request) => {
      if (request.schedule === null) return []
      const [from, to] = [Date.parse(request.schedule.notBefore), Date.parse(request.schedule.notAfter)]
      if (request.endedAt !== null) {
        const ended = Math.max(from, Math.min(Date.parse(request.endedAt), to - 1))
        return within(ended) === null ? [] : [{ request, from: ended }]
      }
      return to <= begins || from >= ends ? [] : [{ request, from: within(from) }]
    }),
    counts: calendar.operations.find((one) => one.day === day)?.counts ?? {},
  }
}

export const isEmpty = ({ freezes, changeRequests, counts }: DayEntries): boolean =>
  freezes.length === 0 && changeRequests.length === 0 && Object.keys(counts).length === 0
