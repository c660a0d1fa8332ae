import type { RecordedCalls } from '#contract/runtime-api/plugin-calls.ts'
import { PLUGIN_CALL_KINDS, PLUGIN_CALL_RESULTS } from '#contract/runtime-api/vocabulary.ts'
import { listCalls } from '../../store/plugins/list-calls.ts'
import type { CallsRow } from '../../store/plugins/list-calls.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, encodeCursor, pageOf } from '../paging.ts'

type Name = 'GET /plugins/{pluginId}/calls'

/** The calls between this platform and a plugin, newest first. A plugin that is not registered may have some too. */
export async function listPluginCalls(
  { deps, actor }: ReadContext,
  { params: { pluginId }, query }: Input<Name>,
): Promise<Answer<Name>> {
  const after = cursorValues(query.cursor, ['number', 'string'])
  const { code, operationId, since, until, limit } = query
  const { rows, searchedTo } = await listCalls(deps.db, actor, {
    pluginId,
    kinds: query.kind ?? PLUGIN_CALL_KINDS,
    results: query.result ?? PLUGIN_CALL_RESULTS,
    code,
    operationId,
    since,
    until,
    after: after && { microseconds: cursorInteger(after[0]), key: String(after[1]) },
    limit: limit + 1,
  })
  const page = pageOf(rows, limit, {
    item: callsView,
    valuesOf: ({ microseconds, key }) => [microseconds, key],
  })
  if (page.nextCursor !== null || searchedTo === null) return page
  return {
    ...page,
    nextCursor: encodeCursor([searchedTo.microseconds, searchedTo.key]),
    searchedTo: new Date(searchedTo.microseconds / 1_000).toISOString(),
  }
}

function callsView(row: CallsRow): RecordedCalls {
  const { operation_id, operation_type, stage, attempt, bundle_install_id, title } = row
  const isAttempt = operation_id !== null && operation_type !== null && stage !== null && attempt !== null
  return {
    kind: row.kind,
    at: row.at,
    ...(row.first_at !== null && { firstAt: row.first_at }),
    calls: row.calls,
    result: row.result,
    code: row.code,
    ...(row.rule !== null && { rule: row.rule }),
    attempt: isAttempt
      ? {
          operationId: operation_id,
          operationType: operation_type,
          stage,
          attempt,
          httpStatus: row.http_status,
          durationMs: row.duration_ms,
        }
      : null,
    installation:
      bundle_install_id !== null && title !== null ? { bundleInstallId: bundle_install_id, title } : null,
    resource: row.locator,
    property: row.property,
  }
}
