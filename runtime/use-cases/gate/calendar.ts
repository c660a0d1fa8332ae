import { CALENDAR_REQUESTS_MAX } from '#contract/runtime-api/calendar.ts'
import { dayAt, startOfDay } from '../../engine/gate/freeze-windows.ts'
import { selectChangeRequests } from '../../store/change-requests/list-change-requests.ts'
import { countOperations } from '../../store/operations/count-operations.ts'
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
  const afterLast = new Date(Date.parse(`${firstDay}T00:00:00.000Z`) + days * 86_400_000)
  const time = {
    from: startOfDay(firstDay, timeZone),
    to: startOfDay(afterLast.toISOString().slice(0, 10), timeZone),
  }
  const [from, to] = [new Date(time.from).toISOString(), new Date(time.to).toISOString()]
  const [freezes, scheduled, counted] = await Promise.all([
    freezesIn(context, places, time),
    selectChangeRequests(
      deps.db,
      actor,
      { ...places, scheduledIn: { from, to } },
      { limit: CALENDAR_REQUESTS_MAX + 1, isBySchedule: true },
    ),
    countOperations(
      deps.db,
      actor,
      { ...places, since: from, until: to },
      { bucket: 'hour', listed: places },
    ),
  ])
  const operations = new Map<string, Answer<CalendarEndpoint>['operations'][number]>()
  for (const { since, state, count } of counted) {
    const day = dayAt(Math.max(Date.parse(since), time.from), timeZone)
    const counted = operations.get(day) ?? { day, counts: {} }
    counted.counts[state] = (counted.counts[state] ?? 0) + count
    operations.set(day, counted)
  }
  return {
    freezes,
    changeRequests: scheduled
      .slice(0, CALENDAR_REQUESTS_MAX)
      .map((row) => changeRequestView(row, row.approvals)),
    isMore: scheduled.length > CALENDAR_REQUESTS_MAX,
    operations: [...operations.values()],
  }
}
