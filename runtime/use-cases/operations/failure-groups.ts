import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { FailureGroup } from '#contract/runtime-api/failure-groups.ts'
import { DomainError } from '../../engine/refusals.ts'
import { operationView } from '../../engine/views.ts'
import { countFailuresByHour, groupFailures, HOURS } from '../../store/operations/group-failures.ts'
import type { AfterGroup, FailureGroupRow } from '../../store/operations/group-failures.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { decodeCursor, encodeCursor } from '../paging.ts'
import { resolveMoments } from './resolve-moments.ts'

type Name = 'GET /failure-groups'

/** The failed operations that the actor may see, grouped by cause. */
export async function listFailureGroups(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const after = readCursor(query.cursor)
  const rows = await groupFailures(deps.db, actor, resolveMoments(query, deps.clock), after)
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const hasMore = rows.length > page.length && last !== undefined
  return {
    groups: page.map((row) => groupView(row)),
    ...(hasMore && { next: encodeCursor([after?.readAt ?? last.now, last.ranked, last.failure_group]) }),
  }
}

type HoursName = 'GET /failure-groups/hours'

/** The failures of the last 24 hours that the actor may see, by plugin and hour. */
export async function countFailureHours(
  { deps, actor }: ReadContext,
  { query }: Input<HoursName>,
): Promise<Answer<HoursName>> {
  const { since, counts } = await countFailuresByHour(deps.db, actor, query)
  const plugins = Map.groupBy(counts, ({ plugin_id }) => plugin_id)
  return {
    since,
    plugins: [...plugins].map(([pluginId, counted]) => ({
      pluginId,
      hours: Array.from({ length: HOURS }, (_, hour) => counted.find((one) => one.hour === hour)?.count ?? 0),
    })),
  }
}

function groupView(row: FailureGroupRow): FailureGroup {
  const latest = operationView(row)
  if (latest.failure === null) throw new TypeError('a failed operation has a failure')
  return {
    key: row.failure_group,
    pluginId: latest.call?.pluginId ?? null,
    stage: latest.phase,
    errorCode: latest.failure.errorCode,
    shape: row.shape,
    count: row.operations,
    scopes: row.scopes,
    versions: row.versions,
    firstAt: row.first_at,
    lastAt: row.last_at,
    latest,
  }
}

function readCursor(cursor: string | undefined): AfterGroup | undefined {
  if (cursor === undefined) return undefined
  const [readAt, ranked, key] = decodeCursor(cursor, ['number', 'number', 'string'])
  if (!Number.isSafeInteger(readAt) || !Number.isSafeInteger(ranked) || typeof key !== 'string')
    throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return { readAt: Number(readAt), ranked: Number(ranked), key }
}
