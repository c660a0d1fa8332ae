import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { mayEverywhere } from '#contract/endpoint/permission.ts'
import { NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { PluginCallKind, PluginCallResult, PluginRefusal } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { instantAt } from '../instants.ts'
import { visibleTo } from '../visible-scopes.ts'

export interface CallsFilter {
  pluginId: string
  kinds: readonly PluginCallKind[]
  results: readonly PluginCallResult[]
  code: string | undefined
  operationId: string | undefined
  since: string | undefined
  until: string | undefined
  /** The place of the last row of the page before, in microseconds and by key. */
  after: { microseconds: number; key: string } | null
  limit: number
}

export interface CallsRow {
  kind: PluginCallKind
  microseconds: number
  key: string
  at: string
  first_at: string | null
  calls: number
  result: PluginCallResult
  code: string | null
  rule: PluginRefusal | null
  operation_id: string | null
  operation_type: OperationType | null
  stage: Stage | null
  attempt: number | null
  http_status: number | null
  duration_ms: number | null
  bundle_install_id: string | null
  title: string | null
  locator: string | null
  property: string | null
}

/** So many attempts are looked at for one page, so that a filter that few match costs no more than one that all match. */
const LOOKED_AT = 20_000

/**
 * The calls of a plugin that the actor may see, newest first. `searchedTo`, in microseconds, is set if older attempts were not
 * looked at.
 */
export async function listCalls(
  db: Db,
  actor: Actor,
  filter: CallsFilter,
): Promise<{ rows: CallsRow[]; searchedTo: number | null }> {
  const { pluginId, kinds, results, code, operationId, since, until, after, limit } = filter
  const inTime = (at: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
    (${since ?? null}::timestamptz is null or ${at} >= ${since ?? null}::timestamptz)
    and (${until ?? null}::timestamptz is null or ${at} < ${until ?? null}::timestamptz)
    ${after === null ? sql`` : sql`and ${at} <= ${instantAt(after.microseconds)} and (${at}, ${key}) < (${instantAt(after.microseconds)}, ${after.key}::text)`}`
  const attemptKey = sql`concat_ws('/', attempt.operation_id, attempt.stage, attempt.attempt)`
  const rowKey = (table: string) =>
    sql`md5(concat_ws('/', ${sql.ref(`${table}.endpoint`)}, ${sql.ref(`${table}.bundle_install_id`)},
      ${sql.ref(`${table}.locator`)}, ${sql.ref(`${table}.property`)}))`
  // what names no installation belongs to no scope
  const seesAll = mayEverywhere(actor.grants, 'read')
  const isVisible = sql`(${visibleTo(actor, 'read', 'installation')} and installation.bundle_install_id is not null
    or ${seesAll} and kept.bundle_install_id is null)`
  const { rows } = await sql<CallsRow & { cut: number | null }>`
    with looked as materialized (
      select attempt.* from runtime.attempt as attempt
      where attempt.plugin_id = ${pluginId} and 'LIFECYCLE' = any(${[...kinds]}::text[])
        and (${operationId ?? null}::uuid is null or attempt.operation_id = ${operationId ?? null}::uuid)
        and ${inTime(sql`attempt.started_at`, attemptKey)}
      order by attempt.started_at desc
      limit ${LOOKED_AT}
    ), cut as (
      select case when count(*) = ${LOOKED_AT} then min(started_at) end as at from looked
    ), found as (
      select 'LIFECYCLE' as kind, attempt.started_at as at, ${attemptKey} as key, null::timestamptz as first_at, 1::bigint as calls,
        case when attempt.by_platform then 'BY_PLATFORM'
          when attempt.finished_at is null then case when operation.state = 'RUNNING'
            and operation.lease_epoch = attempt.lease_epoch then 'IN_PROGRESS' else 'UNKNOWN' end
          when attempt.outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED') then 'SUCCEEDED'
          when attempt.outcome = 'UNKNOWN' then 'UNKNOWN'
          when attempt.outcome is null and coalesce(attempt.failure -> 'parameters' ->> 'reason', 'callFailedSilently')
            <> all(${['callFailedSilently', ...NOT_RECEIVED]}::text[]) then 'UNKNOWN'
          else 'FAILED' end as result,
        attempt.failure ->> 'errorCode' as code, null::text as rule,
        attempt.operation_id, operation.operation_type, attempt.stage, attempt.attempt, attempt.http_status,
        (extract(epoch from attempt.finished_at - attempt.started_at) * 1000)::float8 as duration_ms,
        operation.bundle_install_id, installation.title, null::text as locator, null::text as property
      from looked as attempt join runtime.operation as operation using (operation_id)
      join runtime.installation as installation using (bundle_install_id)
      where ${visibleTo(actor, 'read', 'operation')}
      union all
      select kept.endpoint, kept.last_at, ${rowKey('kept')} || '/' || kept.rule || '/' || coalesce(kept.service_id, ''),
        kept.first_at, kept.refusals, 'REFUSED', kept.code, kept.rule,
        null, null, null, null, null, null, kept.bundle_install_id, installation.title, kept.locator, kept.property
      from runtime.plugin_refusal as kept left join runtime.installation as installation using (bundle_install_id)
      where kept.plugin_id = ${pluginId} and kept.endpoint = any(${[...kinds]}::text[]) and ${operationId === undefined}
        and ${isVisible} and ${inTime(sql`kept.last_at`, sql`${rowKey('kept')} || '/' || kept.rule || '/' || coalesce(kept.service_id, '')`)}
      union all
      select kept.endpoint, kept.last_at, ${rowKey('kept')} || '/' || kept.minute::text,
        null, kept.calls, 'SUCCEEDED', null, null,
        null, null, null, null, null, null, kept.bundle_install_id, installation.title, kept.locator, kept.property
      from runtime.plugin_read as kept left join runtime.installation as installation using (bundle_install_id)
      where kept.plugin_id = ${pluginId} and kept.endpoint = any(${[...kinds]}::text[]) and ${operationId === undefined}
        and ${isVisible} and ${inTime(sql`kept.last_at`, sql`${rowKey('kept')} || '/' || kept.minute::text`)}
    )
    select found.*, (extract(epoch from found.at) * 1000000)::bigint as microseconds,
      (extract(epoch from cut.at) * 1000000)::bigint as cut
    from cut left join lateral (
      select * from found
      where found.result = any(${[...results]}::text[])
        and (${code ?? null}::text is null or found.code = ${code ?? null})
        and (cut.at is null or found.at >= cut.at)
      order by found.at desc, found.key desc
      limit ${limit}) as found on true
    order by found.at desc, found.key desc`.execute(db)
  const searchedTo = rows[0]?.cut ?? null
  return { rows: rows.filter(({ kind }) => kind !== null), searchedTo }
}
