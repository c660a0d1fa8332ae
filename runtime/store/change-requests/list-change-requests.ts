import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { SERVICE_ACCOUNT_ISSUER } from '#contract/endpoint/permission.ts'
import type { ChangeKind, ChangeState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { inScope, visibleTo } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'
import type { ChangeRequestRow } from './change-requests.ts'

/** A request without what only its own page, or only the runner, needs. */
export type ChangeRequestHead = Omit<
  ChangeRequestRow,
  'content' | 'shown_input' | 'conflicts' | 'actor' | 'judge_again'
>

export type ListedRow = ChangeRequestHead & {
  created_microseconds: number
  /** Approvals of the present effect by people who did not write it. */
  approvals: number
}

export interface ChangeRequestFilter extends ScopeFilter {
  state?: readonly ChangeState[] | undefined
  kind?: readonly ChangeKind[] | undefined
  bundleInstallId?: string | undefined
  author?: string | undefined
  isWaiting?: boolean | undefined
  /** Those that can be, or could have been, applied at some moment of this time. */
  scheduledIn?: { from: string; to: string } | undefined
  ids?: readonly string[] | undefined
}

/** The approvals that count. */
export const approvalsOf = sql<number>`(select count(*)::int from runtime.change_approval as approval
  where approval.change_request_id = request.change_request_id and approval.effect = request.effect
    and approval.approver_id <> all(request.author_ids))`

/** Whether the actor has a permission in every scope of the request. */
function coversAll(actor: Actor, permission: 'read' | 'change:approve'): RawBuilder<boolean> {
  if (actor.grants.some(({ permissions, scope }) => scope === null && permissions.includes(permission)))
    return sql<boolean>`true`
  const visible = visibleTo(actor, permission, 'place')
  // the first condition finds the requests of a few scopes by an index; a scalar subquery is never joined to all scopes
  return sql<boolean>`(exists (select from runtime.change_request_scope as place
      where place.change_request_id = request.change_request_id and ${visible})
    and (select bool_and(${visible}) from runtime.change_request_scope as place
      where place.change_request_id = request.change_request_id))`
}

/** Not approved by the actor as it is now. */
const waitsFor = (actor: Actor): RawBuilder<boolean> =>
  sql<boolean>`(request.state = 'OPEN' and ${actor.id} <> all(request.author_ids)
    and ${coversAll(actor, 'change:approve')}
    and ${actor.issuer !== SERVICE_ACCOUNT_ISSUER && actor.grants.some(({ permissions }) => permissions.includes('change:approve'))}
    and (select count(*) from runtime.change_approval as mine
      where mine.change_request_id = request.change_request_id and mine.approver_id = ${actor.id}
        and mine.effect = request.effect) = 0)`

function matches(actor: Actor, filter: ChangeRequestFilter): RawBuilder<boolean> {
  const { state, kind, bundleInstallId, author, isWaiting, scheduledIn, ids } = filter
  const isWide =
    filter.environmentKey === undefined &&
    filter.applicationRuntimeId === undefined &&
    filter.workspaceId === undefined
  const conditions = [
    coversAll(actor, 'read'),
    ...(ids === undefined ? [] : [sql`request.change_request_id = any(${[...ids]}::uuid[])`]),
    ...(state === undefined ? [] : [sql`request.state = any(${[...state]}::text[])`]),
    ...(kind === undefined ? [] : [sql`request.kind = any(${[...kind]}::text[])`]),
    ...(bundleInstallId === undefined ? [] : [sql`request.bundle_install_id = ${bundleInstallId}::uuid`]),
    ...(author === undefined ? [] : [sql`request.created_by_id = ${author}`]),
    ...(isWaiting === true ? [waitsFor(actor)] : []),
    ...(scheduledIn === undefined
      ? []
      : [
          sql`request.not_after > ${scheduledIn.from}::timestamptz and request.not_before < ${scheduledIn.to}::timestamptz`,
        ]),
    ...(isWide
      ? []
      : [
          sql`exists (select from runtime.change_request_scope as place
            where place.change_request_id = request.change_request_id and ${inScope(filter, 'place')})`,
        ]),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** The requests all of whose scopes the actor may see, newest first. */
export async function selectChangeRequests(
  db: Db,
  actor: Actor,
  filter: ChangeRequestFilter,
  page: {
    after?: { createdMicroseconds: number; changeRequestId: string } | undefined
    limit: number
    /** By when they can be applied instead of the newest first. */
    isBySchedule?: boolean
  },
): Promise<ListedRow[]> {
  const { after, limit, isBySchedule = false } = page
  const { rows } = await sql<ListedRow>`
    select change_request_id, kind, title, reason, state, revision, environment_key, application_runtime_id, workspace_id,
      bundle_install_id, base_snapshot, effect, approvals_needed, not_before, not_after, time_zone, created_by_id, created_by_name,
      author_ids, operation_ids, batch_id, overridden, code, message, parameters, created_at, updated_at, ended_at,
      ${microsecondsOf('request.created_at')} as created_microseconds, ${approvalsOf} as approvals
    from runtime.change_request as request
    where ${matches(actor, filter)}
      and ${
        after === undefined
          ? sql`true`
          : sql`(created_at, change_request_id) < (${instantAt(after.createdMicroseconds)}, ${after.changeRequestId}::uuid)`
      }
    order by ${isBySchedule ? sql`not_before` : sql`created_at desc`}, change_request_id desc
    limit ${limit}`.execute(db)
  return rows
}

/** How many requests wait for the actor; at most `max` are counted. */
export async function countWaiting(db: Db, actor: Actor, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from runtime.change_request as request where ${matches(actor, { isWaiting: true })} limit ${max}) as waiting`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The time of the database, in milliseconds since 1970. */
export async function readMoment(tx: Tx): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(tx)
  return rows[0]?.ms ?? 0
}
