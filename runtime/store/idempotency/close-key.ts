import type { JsonValue } from '#contract/json-schema/json.ts'
import type { IdempotencyKey } from './open-key.ts'
import type { Tx } from '../../model/db.ts'

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
