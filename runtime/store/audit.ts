import { sql } from 'kysely'
import type { Selectable, RawBuilder } from 'kysely'
import type * as z from 'zod'
import { mayEverywhere } from '#contract/endpoint/permission.ts'
import type { AuditChange, auditEndpoints } from '#contract/runtime-api/audit.ts'
import { INSTALLATION_CAUSES, PLUGIN_CAUSES } from '#contract/runtime-api/operation-context.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../model/actor.ts'
import type { Db } from '../model/db.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { untilFull, type OfFullPage } from './full-page.ts'
import { visibleTo } from './visible-scopes.ts'

const OWN_BATCHES = ['batch.create', 'batch.continue', 'batch.stop'] as const satisfies AuditAction[]

export type AuditRow = Selectable<RuntimeTables['runtime.audit_entry']>
type AuditQuery = z.output<(typeof auditEndpoints)['GET /audit']['query']>

/** When it happened: what a console recorded later happened when it occurred first. */
const happened = (entry: string) =>
  sql<string>`coalesce(${sql.ref(`${entry}.first_occurred_at`)}, ${sql.ref(`${entry}.at`)})`

/**
 * The audit entries of scopes where the actor may read the audit, by the time at which they happened, newest first, starting
 * after the entry with the number `after`. Entries that
 * belong to no scope need `audit:platform` too, without limits; the actor's own batches are visible in any case, because
 * the targets of a batch may lie in several scopes.
 */
export async function listAuditRows(
  db: Db,
  actor: Actor,
  filter: AuditQuery,
  after: number | null,
): Promise<(AuditRow & OfFullPage)[]> {
  let query = db
    .selectFrom('runtime.audit_entry as entry')
    .selectAll('entry')
    .where(({ eb, and, or, lit }) => {
      const isInScope = mayEverywhere(actor.grants, 'audit:platform')
        ? lit(true)
        : eb('entry.environment_key', 'is not', null)
      return or([
        and([visibleTo(actor, 'audit:read', 'entry'), isInScope]),
        and([eb('entry.actor_id', '=', actor.id), eb('entry.action', 'in', OWN_BATCHES)]),
      ])
    })
    .orderBy(happened('entry'), 'desc')
    .orderBy('entry.sequence', 'desc')
    .limit(filter.limit + 1)
  if (filter.actor !== undefined) query = query.where('entry.actor_id', '=', filter.actor)
  if (filter.action !== undefined) query = query.where('entry.action', '=', filter.action)
  if (filter.bundleInstallId !== undefined)
    query = query.where('entry.bundle_install_id', '=', filter.bundleInstallId)
  if (filter.since !== undefined) query = query.where(happened('entry'), '>=', filter.since)
  if (filter.until !== undefined) query = query.where(happened('entry'), '<', filter.until)
  if (after !== null)
    query = query.where(
      sql<boolean>`(${happened('entry')}, entry.sequence) < (
        (select ${happened('seen')} from runtime.audit_entry as seen where seen.sequence = ${after}), ${after})`,
    )
  const order = sql`${happened('entry')} desc, sequence desc`
  return (await untilFull<AuditRow>(sql`${query}`, { order, values: [sql`changes`] }).execute(db)).rows
}

interface CauseFilter {
  pluginIds: readonly string[]
  serviceIds: readonly string[]
  environmentKey: string
  bundleInstallIds: readonly string[]
  /** The operation whose own start is left out. */
  except: string
  since: string
  until?: string | undefined
  limit: number
}

/** Of each plugin, service and installation only the newest entries of these actions are looked at. */
const LOOKED_AT = 200

/** What was done since a time to plugins, services, a policy and installations, newest first, until a page is full. */
export async function listCauseRows(db: Db, filter: CauseFilter): Promise<(AuditRow & OfFullPage)[]> {
  const { pluginIds, serviceIds, environmentKey, bundleInstallIds, except, since, until, limit } = filter
  // the condition on the actions is redundant, but lets the planner use the partial index
  const newest = sql`
    with registration (action, name) as (
      select action, name from unnest(${[...pluginIds]}::text[]) as name,
        unnest(array[${listed(PLUGIN_CAUSES)}]) as action
      union all select 'service.save', name from unnest(${[...serviceIds]}::text[]) as name
      union all select 'plugin.policy', ${environmentKey}
    )
    select found.* from (
      select entry.* from registration cross join lateral (
        select * from runtime.audit_entry as entry
        where entry.action = registration.action and split_part(entry.subject, ' ', 1) = registration.name
          and entry.environment_key is null
          and entry.action in (${listed([...PLUGIN_CAUSES, 'plugin.policy', 'service.save'])})
        order by sequence desc limit ${LOOKED_AT}) as entry
      union all
      select entry.* from unnest(${[...bundleInstallIds]}::uuid[]) as owner (id) cross join lateral (
        select * from runtime.audit_entry as entry
        where entry.bundle_install_id = owner.id and entry.operation_id is distinct from ${except}::uuid
          and entry.action in (${listed(INSTALLATION_CAUSES)})
        order by sequence desc limit ${LOOKED_AT}) as entry
    ) as found
    where found.outcome = 'DONE' and found.at >= ${since}
      and ${until === undefined ? sql`true` : sql`date_trunc('milliseconds', found.at) <= ${until}::timestamptz`}
    order by found.sequence desc limit ${limit}`
  const page = { order: sql`sequence desc`, values: [sql`changes`] }
  return (await untilFull<AuditRow>(newest, page).execute(db)).rows
}

/**
 * What was changed in the registration of a plugin since a time, newest first: of its newest 200 changes. `isComplete` unless there
 * may be more since then.
 */
export async function listRegistrationChanges(
  db: Db,
  pluginId: string,
  since: string,
): Promise<{ changes: AuditChange[]; isComplete: boolean }> {
  const { rows } = await sql<{ changes: AuditChange[] }>`
    select changes from (
      select at, changes, sequence from runtime.audit_entry
      where action = 'plugin.save' and split_part(subject, ' ', 1) = ${pluginId} and environment_key is null
        and outcome = 'DONE'
      order by sequence desc limit ${LOOKED_AT}) as entry
    where at > ${since}::timestamptz
    order by sequence desc`.execute(db)
  return {
    changes: rows.flatMap(({ changes }) => changes),
    isComplete: rows.length < LOOKED_AT,
  }
}

/** As literals: with parameters the planner could not use the partial index. */
const listed = (actions: readonly AuditAction[]): RawBuilder<unknown> =>
  sql.join(actions.map((action) => sql.lit(action)))

/** An audit entry with each column as the text that is hashed, or null where the column is empty. */
export interface ChainedRow {
  sequence: number
  format: number
  at: string
  actor_id: string
  actor_name: string
  action: string
  subject: string
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: string | null
  bundle_install_id: string | null
  operation_id: string | null
  reason: string | null
  changes: string
  outcome: string
  request_id: string
  actor_issuer: string | null
  client_address: string | null
  error_code: string | null
  occurrence_count: string | null
  first_occurred_at: string | null
  last_occurred_at: string | null
  previous_hash: Buffer
  hash: Buffer
}

/**
 * Returns the entries that follow a sequence number, or all from the first one, in order: at most `limit`, and as many as fit into the
 * memory.
 */
export async function readChain(db: Db, after: number | null, limit: number): Promise<ChainedRow[]> {
  const entries = untilFull<unknown>(
    sql`select * from runtime.audit_entry where ${after === null ? sql`true` : sql`sequence > ${after}`}
      order by sequence limit ${limit}`,
    { order: sql`entry.sequence`, values: [sql`entry.changes`] },
  )
  const found = await sql<ChainedRow>`
    select sequence, format, ${timeText('at')} as at,
      actor_id, actor_name, action, subject, environment_key, application_runtime_id,
      workspace_id::text as workspace_id, bundle_install_id, operation_id, reason, changes::text as changes,
      outcome, request_id, actor_issuer, client_address, error_code, occurrence_count::text as occurrence_count,
      ${timeText('first_occurred_at')} as first_occurred_at, ${timeText('last_occurred_at')} as last_occurred_at,
      previous_hash, hash
    from (${entries}) as chained
    order by sequence`.execute(db)
  return found.rows
}

function timeText(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

export interface AuditHead {
  /** 0 while there are no entries. */
  sequence: number
  hash: Buffer
}

/** Returns the last link of the audit chain. */
export function readHead(db: Db): Promise<AuditHead> {
  return db.selectFrom('runtime.audit_head').select(['sequence', 'hash']).executeTakeFirstOrThrow()
}
