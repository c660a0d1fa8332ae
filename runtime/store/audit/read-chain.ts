import { sql } from 'kysely'
import type { Db } from '../../world.ts'

/** An entry with every column as the text that is hashed; null where there is none. */
export interface ChainedRow {
  sequence: number
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
  previous_hash: Buffer
  hash: Buffer
}

/** The entries behind a number, or from the very first on, in their order. */
export async function readChain(db: Db, after: number | null, limit: number): Promise<ChainedRow[]> {
  const found = await sql<ChainedRow>`
    select sequence, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
      actor_id, actor_name, action, subject, environment_key, application_runtime_id,
      workspace_id::text as workspace_id, bundle_install_id, operation_id, reason, changes::text as changes,
      outcome, request_id, previous_hash, hash
    from runtime.audit_entry
    where ${after === null ? sql`true` : sql`sequence > ${after}`}
    order by sequence
    limit ${limit}`.execute(db)
  return found.rows
}
