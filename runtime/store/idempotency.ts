import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Tx, Db } from '../model/db.ts'

export interface IdempotencyKey {
  actorId: string
  /** Method and path: the same key on another endpoint is a different key. */
  endpoint: string
  key: string
}

type OpenedKey = { isNew: true } | { isNew: false; requestHash: Buffer; answer: JsonValue | null }

/**
 * Reserves a key, or returns its response of the last 24 hours. Waits while another open transaction holds the key,
 * so of two identical concurrent requests one runs and the other gets its response.
 */
export async function openKey(
  tx: Tx,
  { actorId, endpoint, key }: IdempotencyKey,
  requestHash: Buffer,
): Promise<OpenedKey> {
  const taken = await sql`
    insert into runtime.idempotency as kept (actor_id, endpoint, key, request_hash)
    values (${actorId}, ${endpoint}, ${key}, ${requestHash})
    on conflict (actor_id, endpoint, key) do update
      set request_hash = excluded.request_hash, answer = null, created_at = clock_timestamp()
      where kept.created_at < clock_timestamp() - interval '24 hours'
    returning key`.execute(tx)
  if (taken.rows.length > 0) return { isNew: true }
  const row = await tx
    .selectFrom('runtime.idempotency')
    .select(['request_hash', 'answer'])
    .where('actor_id', '=', actorId)
    .where('endpoint', '=', endpoint)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return { isNew: false, requestHash: row.request_hash, answer: row.answer }
}

/** Stores the response of a key; null releases the key. */
export async function closeKey(
  tx: Tx,
  { actorId, endpoint, key }: IdempotencyKey,
  answer: JsonValue | null,
): Promise<void> {
  const row = { actor_id: actorId, endpoint, key }
  if (answer === null)
    await tx
      .deleteFrom('runtime.idempotency')
      .where((kept) => kept.and(row))
      .execute()
  else
    await tx
      .updateTable('runtime.idempotency')
      .set({ answer: JSON.stringify(answer) })
      .where((kept) => kept.and(row))
      .execute()
}

/** Deletes keys whose response has expired. Returns the number of deleted keys, at most `limit`. */
export async function pruneKeys(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from runtime.idempotency as kept
    using (
      select actor_id, endpoint, key from runtime.idempotency
      where created_at < clock_timestamp() - interval '24 hours'
      order by created_at
      limit ${limit}
      for update skip locked
    ) as old
    where kept.actor_id = old.actor_id and kept.endpoint = old.endpoint and kept.key = old.key`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
