import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditChange, Occurrences } from '#contract/runtime-api/audit.ts'
import { RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'

export interface AuditRecord {
  action: AuditAction
  /** The object of the action, as text. */
  subject: string
  scope?: Scope
  bundleInstallId?: string
  operationId?: string
  reason?: string | null
  /** As views: a sensitive value is recorded as set or not set. */
  changes?: AuditChange[]
  /** It was done in spite of what refused it; recorded as one of the changes. */
  overridden?: boolean
  outcome?: 'DONE' | 'REFUSED'
  /** Why it was refused. */
  errorCode?: string | null
  occurrences?: Occurrences
}

/** Records an action of the actor in the transaction that performs it. The entry is numbered and chained at commit. */
export function recordAudit(tx: Tx, actor: Actor, record: AuditRecord): Promise<void> {
  return recordEach(tx, actor, [record])
}

/**
 * Records several actions of the actor, in one statement.
 *
 * The number of a draft only distinguishes it from the drafts of concurrent transactions. It is random, because the sequence of an
 * unlogged table may be unreadable on a standby that was promoted (seen with PostgreSQL 15).
 */
export async function recordEach(tx: Tx, actor: Actor, records: readonly AuditRecord[]): Promise<void> {
  const drafts = records.map((record) => draftOf(actor, record))
  const [first] = drafts
  if (first === undefined) return
  const columns = Object.keys(first).map((name) => sql.ref(name))
  const rows = drafts.map((draft) => sql`((random() * 9e15)::int8, ${sql.join(Object.values(draft))})`)
  await sql`insert into runtime.audit_draft (draft_id, ${sql.join(columns)}) overriding system value
    values ${sql.join(rows)}`.execute(tx)
}

const draftOf = (actor: Actor, record: AuditRecord): Insertable<RuntimeTables['runtime.audit_draft']> => ({
  actor_id: actor.id,
  actor_name: actor.name,
  actor_issuer: actor.issuer ?? null,
  client_address: actor.clientAddress ?? null,
  action: record.action,
  subject: record.subject,
  environment_key: record.scope?.environmentKey ?? null,
  application_runtime_id: record.scope?.applicationRuntimeId ?? null,
  workspace_id: record.scope?.workspaceId ?? null,
  bundle_install_id: record.bundleInstallId ?? null,
  operation_id: record.operationId ?? null,
  reason: record.reason ?? null,
  changes: JSON.stringify([
    ...(record.changes ?? []),
    ...(record.overridden === true ? fieldChanges(null, { overridden: true }) : []),
  ]),
  outcome: record.outcome ?? 'DONE',
  error_code: record.errorCode ?? null,
  occurrence_count: record.occurrences?.count ?? null,
  first_occurred_at: record.occurrences?.firstAt ?? null,
  last_occurred_at: record.occurrences?.lastAt ?? null,
  request_id: actor.requestId,
})

/** The fields of an object that is not a resource, such as a plugin. Null and absent mean "not set". */
export type Fields = Readonly<Record<string, JsonValue | undefined>>

/** The fields that differ, before and after. `before` is null if the object did not exist. */
export function fieldChanges(before: Fields | null, after: Fields): AuditChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)])
  return [...names].flatMap((property) => {
    const [old, now] = [before?.[property] ?? null, after[property] ?? null]
    if (deepEqual(old, now)) return []
    return [{ locator: null, property, before: viewOf(old), after: viewOf(now) }]
  })
}

function viewOf(value: JsonValue): AuditChange['after'] {
  return value === null ? null : { '@type': 'Data', value }
}

/** The platform itself, as the audit and archived receipts name it. It may read everything and do nothing else. */
export const systemActor = (requestId: string): Actor => ({
  id: RUNTIME_ACTOR_ID,
  name: 'Bundle Console',
  grants: [{ permissions: ['read'], scope: null }],
  requestId,
})
