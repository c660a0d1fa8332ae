import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Db } from '../../model/db.ts'

/** Returns the public keys of all replicas on this database. */
export async function listSigningKeys(db: Db): Promise<JsonValue[]> {
  const rows = await db.selectFrom('runtime.signing_key').select('public_jwk').orderBy('kid').execute()
  return rows.map((row) => row.public_jwk)
}
