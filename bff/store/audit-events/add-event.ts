import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { BffDb } from '../tables.ts'

/** An action that the console performed or refused itself. */
export interface NewAuditEvent {
  action: AuditAction
  outcome: 'DONE' | 'REFUSED'
  subject: string
  errorCode: string | null
  /** Null if unknown. */
  actor: { id: string; name: string; issuer: string | null } | null
  scope: Scope | null
  bundleInstallId: string | null
  operationId: string | null
  clientAddress: string | null
  requestId: string
}

/** `key`: merges the event with others of the same key for `seconds`; null: sent immediately, without merging. */
export interface Merge {
  key: Buffer | null
  seconds: number
}

/**
 * Stores an event until it is sent. A merged event omits the fields in which its events differ. Returns whether
 * it is the first of its key.
 */
export async function addEvent(db: BffDb, event: NewAuditEvent, merge: Merge): Promise<boolean> {
  const { actor, scope } = event
  const delay = merge.key === null ? 0 : merge.seconds
  const { rows } = await sql<{ is_first: boolean }>`
    insert into bff.audit_event as held (
      event_id, merge_key, action, outcome, subject, error_code, actor_id, actor_name, actor_issuer,
      scope, bundle_install_id, operation_id, client_address, request_id, available_at)
    values (
      ${randomUUID()}, ${merge.key}, ${event.action}, ${event.outcome}, ${event.subject}, ${event.errorCode},
      ${actor?.id ?? null}, ${actor?.name ?? null}, ${actor?.issuer ?? null},
      ${scope === null ? null : JSON.stringify(scope)}::json, ${event.bundleInstallId}::uuid,
      ${event.operationId}::uuid, ${event.clientAddress}, ${event.requestId},
      clock_timestamp() + make_interval(secs => ${delay}))
    on conflict (merge_key) do update set
      occurrences = held.occurrences + 1,
      last_at = clock_timestamp(),
      subject = case
        when held.subject = excluded.subject or held.subject like '% …' then held.subject
        else held.subject || ' …' end,
      error_code = case when held.error_code = excluded.error_code then held.error_code end,
      scope = case when held.scope::text = excluded.scope::text then held.scope end,
      bundle_install_id = case
        when held.bundle_install_id = excluded.bundle_install_id then held.bundle_install_id end,
      operation_id = case when held.operation_id = excluded.operation_id then held.operation_id end,
      client_address = case when held.client_address = excluded.client_address then held.client_address end
    returning occurrences = 1 as is_first`.execute(db)
  return rows[0]?.is_first ?? false
}
