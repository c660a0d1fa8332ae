import { omitUndefined, oneOf, text, whole, type Raw } from './search-params.ts'

export const CALENDAR_VIEWS = ['month', 'week'] as const

/** `day` is a day of the month or week that is shown: `2026-11-29`. */
export const calendarSearch = (raw: Raw) =>
  omitUndefined({
    view: oneOf(raw, 'view', CALENDAR_VIEWS),
    day: day(raw, 'day'),
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
  })
export type CalendarSearch = ReturnType<typeof calendarSearch>

function day(raw: Raw, key: string): string | undefined {
  const value = text(raw, key) ?? ''
  const at = Date.parse(`${value}T00:00:00.000Z`)
  // years that a person may mean, so that the days around it can be written in the same way
  return /^[12]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(at) && toDay(at) === value ? value : undefined
}

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The days that are shown, in the zone of the person. */
export const calendarCall = (shown: { from: string; days: number }, search: CalendarSearch) => {
  const { view: _, day: __, ...places } = search
  return { query: { ...shown, ...places, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone } }
}
