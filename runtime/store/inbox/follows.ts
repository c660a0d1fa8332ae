import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { FollowTable } from '../../model/inbox-tables.ts'
import { ESCALATES_DAYS } from '#contract/runtime-api/vocabulary.ts'
import { isVisible, visibleScopes, visibleTo } from '../visible-scopes.ts'

export type FollowRow = Selectable<FollowTable> & {
  title: string | null
  operation_type: OperationType | null
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: number | null
  /** Set for a cause; null for any other subject. */
  plugin_id: string | null
  error_code: string | null
}
export type NewFollow = Pick<
  FollowRow,
  'person_id' | 'person_name' | 'kind' | 'object_id' | 'scope_id' | 'escalate_after_minutes' | 'escalate_to'
>

/** What the person follows and may still see, newest first; or the one with this id. */
export async function listFollows(
  db: Db,
  actor: Actor,
  followId: string | null = null,
): Promise<FollowRow[]> {
  const visible = await visibleScopes(db, actor, 'read', {})
  const { rows } = await sql<FollowRow>`
    select follow.*, scope.environment_key, scope.application_runtime_id, scope.workspace_id, cause.plugin_id, cause.error_code,
      operation.operation_type, installation.title
    from runtime.follow
    left join runtime.scope as scope using (scope_id)
    left join runtime.operation as operation
      on operation.operation_id = case follow.kind when 'operation' then follow.object_id::uuid end
    left join runtime.installation as installation on installation.bundle_install_id = coalesce(
      operation.bundle_install_id, case follow.kind when 'installation' then follow.object_id::uuid end)
    left join runtime.cause as cause on follow.kind = 'cause' and cause.cause_id = follow.object_id
    where person_id = ${actor.id} and case follow.kind
        when 'cause' then exists (
          select from runtime.cause_failure as failed
          where failed.cause_id = follow.object_id and ${isVisible(visible, 'failed')})
        else ${visibleTo(actor, 'read', 'scope')} end
      and ${followId === null ? sql`true` : sql`follow_id = ${followId}::uuid`}
    order by follow.created_at desc, follow_id`.execute(db)
  return rows
}

/** How many things the person follows besides this one. Other changes of their follows wait until the transaction ends. */
export async function lockFollows(tx: Tx, personId: string, { kind, object_id }: NewFollow): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('follow ' || ${personId}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from runtime.follow
    where person_id = ${personId} and (kind, object_id) <> (${kind}, ${object_id})`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Follows something, or changes for whom it escalates, from now for `ESCALATES_DAYS`. Returns its id. */
export async function putFollow(tx: Tx, follow: NewFollow): Promise<string> {
  const { rows } = await sql<{ follow_id: string }>`
    insert into runtime.follow (person_id, person_name, kind, object_id, scope_id, escalate_after_minutes, escalate_to, escalates_until)
    values (${follow.person_id}, ${follow.person_name}, ${follow.kind}, ${follow.object_id}, ${follow.scope_id},
      ${follow.escalate_after_minutes}, ${JSON.stringify(follow.escalate_to)}::json,
      case when ${follow.escalate_after_minutes}::int is not null then clock_timestamp() + make_interval(days => ${ESCALATES_DAYS}) end)
    on conflict (person_id, kind, object_id) do update set
      escalate_after_minutes = excluded.escalate_after_minutes, escalate_to = excluded.escalate_to,
      escalates_until = excluded.escalates_until
    returning follow_id`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new TypeError('an insert that updates on a conflict returns a row')
  return row.follow_id
}

export async function deleteFollow(tx: Tx, followId: string): Promise<void> {
  await sql`delete from runtime.follow where follow_id = ${followId}::uuid`.execute(tx)
}
