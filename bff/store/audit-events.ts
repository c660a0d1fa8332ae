import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { BffDb, BffTables } from './tables.ts'

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
interface Merge {
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

export type AuditEventRow = Selectable<BffTables['bff.audit_event']>

/** Longer than one delivery takes. */
const PAUSE_SECONDS = 10

/**
 * Takes the event that has been due the longest. It is no longer merged, and is due again after a pause unless
 * it is deleted first. Undefined if no event is due, or other replicas hold them.
 */
export async function takeEvent(db: BffDb): Promise<AuditEventRow | undefined> {
  const { rows } = await sql<AuditEventRow>`
    update bff.audit_event set
      merge_key = null,
      attempts = attempts + 1,
      available_at = clock_timestamp() + make_interval(secs => ${PAUSE_SECONDS})
    where event_id = (
      select event_id from bff.audit_event 
      -- no event waits longer, so the clock was set back
      where available_at <= clock_timestamp() or available_at > clock_timestamp() + interval '10 minutes'
      order by available_at limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0]
}

/** Deletes an event that the runtime has recorded or refused. */
export async function deleteEvent(db: BffDb, eventId: string): Promise<void> {
  await sql`delete from bff.audit_event where event_id = ${eventId}`.execute(db)
}

/** Deletes events that could not be delivered for this many days; returns their number. */
export async function deleteOldEvents(db: BffDb, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from bff.audit_event
    where attempts > 0 and first_at < clock_timestamp() - make_interval(days => ${days})`.execute(db)
  return Number(numAffectedRows)
}
