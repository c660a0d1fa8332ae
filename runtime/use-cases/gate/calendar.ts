import { inTransaction } from '#database/transaction.ts'
import { CALENDAR_REQUESTS_MAX } from '#contract/runtime-api/calendar.ts'
import { dayAt, startOfDay } from '../../engine/gate/freeze-windows.ts'
import { selectChangeRequests } from '../../store/change-requests/list-change-requests.ts'
import { countOperationRows, countOperationsIn } from '../../store/operations/count-operations.ts'
import type { OperationFilter } from '../../store/operations/filter-operations.ts'
import { changeRequestView } from '../change-requests/steps.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { freezesIn } from './freezes.ts'

type CalendarEndpoint = 'GET /calendar'

/** What is planned and what happened on some days of a zone, as far as the actor may see it. */
export async function readCalendar(
  context: ReadContext,
  { query }: Input<CalendarEndpoint>,
): Promise<Answer<CalendarEndpoint>> {
  const { deps, actor } = context
  const { from: firstDay, days, timeZone, ...places } = query
  const dayIn = (days: number) =>
    new Date(Date.parse(`${firstDay}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10)
  const time = { from: startOfDay(firstDay, timeZone), to: startOfDay(dayIn(days), timeZone) }
  const [from, to] = [new Date(time.from).toISOString(), new Date(time.to).toISOString()]
  const inner = Array.from({ length: days - 1 }, (_, at) => startOfDay(dayIn(at + 1), timeZone))
  const [freezes, scheduled, operations] = await Promise.all([
    freezesIn(context, places, time),
    selectChangeRequests(
      deps.db,
      actor,
      { ...places, scheduledIn: { from, to } },
      { limit: CALENDAR_REQUESTS_MAX + 1, isBySchedule: true },
    ),
    countByDay(context, places, { from, to, timeZone, midnights: inner }),
  ])
  return {
    freezes,
    changeRequests: scheduled
      .slice(0, CALENDAR_REQUESTS_MAX)
      .map((row) => changeRequestView(row, row.approvals)),
    isMore: scheduled.length > CALENDAR_REQUESTS_MAX,
    operations,
  }
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

type Days = Answer<CalendarEndpoint>['operations']

/**
 * The days on which operations were created, oldest first. They are counted by hours of UTC; of an hour in which a day of the zone
 * begins, what came after that moment is counted by itself.
 */
async function countByDay(
  { deps, actor }: ReadContext,
  places: OperationFilter,
  { from, to, timeZone, midnights }: { from: string; to: string; timeZone: string; midnights: number[] },
): Promise<Days> {
  const late = midnights
    .filter((midnight) => midnight % HOUR_MS !== 0)
    .map((midnight) => ({
      from: new Date(midnight).toISOString(),
      to: new Date(Math.min(Math.ceil(midnight / HOUR_MS) * HOUR_MS, Date.parse(to))).toISOString(),
    }))
  const [counted, moved] = await inTransaction(
    deps.db,
    async (tx) => [
      await countOperationRows(
        tx,
        actor,
        { ...places, since: from, until: to },
        { bucket: 'hour', listed: places },
      ),
      await countOperationsIn(tx, actor, places, late),
    ],
    { isolation: 'repeatable read' },
  )
  const days = new Map<string, Days[number]>()
  const add = (at: number, state: keyof Days[number]['counts'], count: number) => {
    const day = dayAt(at, timeZone)
    const counts: Days[number]['counts'] = days.get(day)?.counts ?? {}
    counts[state] = (counts[state] ?? 0) + count
    if (counts[state] === 0) delete counts[state]
    days.set(day, { day, counts })
  }
  for (const { since, state, count } of counted)
    add(Math.max(Date.parse(since), Date.parse(from)), state, count)
  for (const { since, state, count } of moved) {
    add(Date.parse(since) - 1, state, -count)
    add(Date.parse(since), state, count)
  }
  return [...days.values()]
    .filter(({ counts }) => Object.keys(counts).length > 0)
    .toSorted((one, other) => (one.day < other.day ? -1 : 1))
}
