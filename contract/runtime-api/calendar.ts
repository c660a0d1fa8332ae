import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { ChangeRequest } from './change-requests.ts'
import { Key, scopeFilter, Timestamp } from './common.ts'
import { Zone } from './freezes.ts'
import { CHANGE_KINDS, OPERATION_STATES } from './vocabulary.ts'

/** Six weeks, and the rest of a week. */
export const CALENDAR_DAYS_MAX = 45
/** Scheduled change requests of one response. */
export const CALENDAR_REQUESTS_MAX = 200

const Day = z.string().refine(isDay, 'Must be a day such as 2026-11-29')

/** With a year of four digits whatever the zone, and six weeks later too. */
function isDay(text: string): boolean {
  if (text < '1970-01-01' || text > '9998-12-31') return false
  const at = Date.parse(`${text}T00:00:00.000Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

const window = z.object({ from: Timestamp, to: Timestamp })

export const Calendar = z.object({
  /** What blocks changes on these days; windows of a freeze that follow each other are one. */
  freezes: z.array(
    z.object({
      name: Key,
      message: z.string(),
      blocks: z.array(z.enum(CHANGE_KINDS)),
      windows: z.array(window),
    }),
  ),
  /** Those with a schedule on these days, also if they have ended; by when they can be applied, at most 200. */
  changeRequests: z.array(ChangeRequest),
  /** There are more of them. */
  isMore: z.boolean(),
  /** The days on which operations were created, oldest first, with their numbers by state. */
  operations: z.array(
    z.object({ day: z.string(), counts: z.partialRecord(z.enum(OPERATION_STATES), z.number().int()) }),
  ),
})
export type Calendar = z.infer<typeof Calendar>

export const calendarEndpoints = defineEndpoints({
  'GET /calendar': {
    cost: 2,
    summary: 'Freezes, scheduled change requests and the numbers of operations on some days of a time zone',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      /** The first day. */
      from: Day,
      days: z.coerce
        .number('Must be a number')
        .int('Must be a whole number')
        .min(1, 'Must be at least 1')
        .max(CALENDAR_DAYS_MAX, `Must be at most ${CALENDAR_DAYS_MAX}`),
      timeZone: Zone,
      ...scopeFilter,
    }),
    answer: Calendar,
    codes: [],
  },
})
