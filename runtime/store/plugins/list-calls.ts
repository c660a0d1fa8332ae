import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { mayEverywhere } from '#contract/endpoint/permission.ts'
import { NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { PluginCallKind, PluginCallResult, PluginRefusal } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { visibleTo } from '../visible-scopes.ts'

/** The place of a row in the list. */
interface Place {
  microseconds: number
  key: string
}

export interface CallsFilter {
  pluginId: string
  kinds: readonly PluginCallKind[]
  results: readonly PluginCallResult[]
  code: string | undefined
  operationId: string | undefined
  since: string | undefined
  until: string | undefined
  /** The place of the last row of the page before, in microseconds and by key. */
  after: Place | null
  limit: number
}

export interface CallsRow extends Place {
  kind: PluginCallKind
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

/**
 * So many rows of each kind are looked at for one page, so that a filter that few match costs no more than one that all match: few
 * first, which most pages need.
 */
const LOOKED_AT = [500, 20_000]

/**
 * The calls of a plugin that the actor may see, newest first. `searchedTo` is set if the page is not full and what comes after that
 * place was not looked at.
 */
export async function listCalls(
  db: Db,
  actor: Actor,
  filter: CallsFilter,
  lookedAt: readonly number[] = LOOKED_AT,
): Promise<{ rows: CallsRow[]; searchedTo: Place | null }> {
  let page: Awaited<ReturnType<typeof listCalls>> = { rows: [], searchedTo: null }
  for (const most of lookedAt) {
    page = await readCalls(db, actor, filter, most)
    if (page.searchedTo === null) return page
  }
  return page
}

async function readCalls(
  db: Db,
  actor: Actor,
  filter: CallsFilter,
  most: number,
): Promise<{ rows: CallsRow[]; searchedTo: Place | null }> {
  const { pluginId, kinds, results, code, operationId, since, until, after, limit } = filter
  /** The next rows of a table in the order of the list. */
  const looked = (table: string, at: string, key: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    select kept.*, kept.${sql.ref(at)} as at, ${key} as key from ${sql.table(`runtime.${table}`)} as kept
    where kept.plugin_id = ${pluginId} and ${condition}
      and (${since ?? null}::timestamptz is null or kept.${sql.ref(at)} >= ${since ?? null}::timestamptz)
      and (${until ?? null}::timestamptz is null or kept.${sql.ref(at)} < ${until ?? null}::timestamptz)
      ${after === null ? sql`` : sql`and kept.${sql.ref(at)} <= ${instantAt(after.microseconds)} and (kept.${sql.ref(at)}, ${key}) < (${instantAt(after.microseconds)}, ${after.key}::text)`}
    order by kept.${sql.ref(at)} desc, ${key} desc
    limit ${most}`
  const last = (part: string) => sql`
    (select at, key from ${sql.table(part)} order by at desc, key desc offset ${most - 1} limit 1)`
  // hashed: the place to which a page has looked may be that of a call that the actor may not see
  const attemptKey = sql`md5(concat_ws('/', kept.operation_id, kept.stage, kept.attempt))`
  const placeKey = sql`md5(concat_ws('/', kept.endpoint, kept.bundle_install_id, kept.locator, kept.property))`
  const refusalKey = sql`${placeKey} || '/' || kept.rule || '/' || coalesce(kept.service_id, '')`
  const readKey = sql`${placeKey} || '/' || kept.minute::text`
  const isRead = sql`kept.endpoint = any(${[...kinds]}::text[]) and ${operationId === undefined}`
  // what names no installation belongs to no scope
  const seesAll = mayEverywhere(actor.grants, 'read')
  const isVisible = sql`(${visibleTo(actor, 'read', 'installation')} and installation.bundle_install_id is not null
    or ${seesAll} and kept.bundle_install_id is null)`
  const { rows } = await sql<CallsRow & { cut_at: number | null; cut_key: string | null }>`
    with attempts as materialized (${looked(
      'attempt',
      'started_at',
      attemptKey,
      sql`'LIFECYCLE' = any(${[...kinds]}::text[])
      and (${operationId ?? null}::uuid is null or kept.operation_id = ${operationId ?? null}::uuid)`,
    )}
    ), refusals as materialized (${looked('plugin_refusal', 'last_at', refusalKey, isRead)}
    ), reads as materialized (${looked('plugin_read', 'last_at', readKey, isRead)}
    ), cut as (
      -- of each kind, nothing after its last row was looked at
      select at, key from (${sql.join([last('attempts'), last('refusals'), last('reads')], sql` union all `)}) as ends
      order by at desc, key desc limit 1
    ), found as (
      select 'LIFECYCLE' as kind, kept.at, kept.key, null::timestamptz as first_at, 1::bigint as calls,
        case when kept.by_platform then 'BY_PLATFORM'
          when kept.finished_at is null then case when operation.state = 'RUNNING'
            and operation.lease_epoch = kept.lease_epoch then 'IN_PROGRESS' else 'UNKNOWN' end
          when kept.outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED') then 'SUCCEEDED'
          when kept.outcome = 'UNKNOWN' then 'UNKNOWN'
          when kept.outcome is null and coalesce(kept.failure -> 'parameters' ->> 'reason', 'callFailedSilently')
            <> all(${['callFailedSilently', ...NOT_RECEIVED]}::text[]) then 'UNKNOWN'
          else 'FAILED' end as result,
        kept.failure ->> 'errorCode' as code, null::text as rule,
        kept.operation_id, operation.operation_type, kept.stage, kept.attempt, kept.http_status,
        (extract(epoch from kept.finished_at - kept.started_at) * 1000)::float8 as duration_ms,
        operation.bundle_install_id, installation.title, null::text as locator, null::text as property
      from attempts as kept join runtime.operation as operation using (operation_id)
      join runtime.installation as installation using (bundle_install_id)
      where ${visibleTo(actor, 'read', 'operation')}
      union all
      select kept.endpoint, kept.at, kept.key, kept.first_at, kept.refusals, 'REFUSED', kept.code, kept.rule,
        null, null, null, null, null, null, kept.bundle_install_id, installation.title, kept.locator, kept.property
      from refusals as kept left join runtime.installation as installation using (bundle_install_id)
      where ${isVisible}
      union all
      select kept.endpoint, kept.at, kept.key, null, kept.calls, 'SUCCEEDED', null, null,
        null, null, null, null, null, null, kept.bundle_install_id, installation.title, kept.locator, kept.property
      from reads as kept left join runtime.installation as installation using (bundle_install_id)
      where ${isVisible}
    )
    select page.*, ${microsecondsOf('page.at')} as microseconds,
      (select ${microsecondsOf('cut.at')} from cut) as cut_at, (select key from cut) as cut_key
    from (select) as one left join lateral (
      select * from found
      where found.result = any(${[...results]}::text[])
        and (${code ?? null}::text is null or found.code = ${code ?? null})
        and not exists (select from cut where (found.at, found.key) < (cut.at, cut.key))
      order by found.at desc, found.key desc
      limit ${limit}) as page on true
    order by page.at desc, page.key desc`.execute(db)
  const { cut_at: at = null, cut_key: key = null } = rows[0] ?? {}
  const found = rows.filter(({ kind }) => kind !== null)
  const isCut = found.length < limit && at !== null && key !== null
  return { rows: found, searchedTo: isCut ? { microseconds: at, key } : null }
}
