import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'

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

/** Returns the entries that follow a sequence number, or all from the first one, in order. */
export async function readChain(db: Db, after: number | null, limit: number): Promise<ChainedRow[]> {
  const found = await sql<ChainedRow>`
    select sequence, format, ${timeText('at')} as at,
      actor_id, actor_name, action, subject, environment_key, application_runtime_id,
      workspace_id::text as workspace_id, bundle_install_id, operation_id, reason, changes::text as changes,
      outcome, request_id, actor_issuer, client_address, error_code, occurrence_count::text as occurrence_count,
      ${timeText('first_occurred_at')} as first_occurred_at, ${timeText('last_occurred_at')} as last_occurred_at,
      previous_hash, hash
    from runtime.audit_entry
    where ${after === null ? sql`true` : sql`sequence > ${after}`}
    order by sequence
    limit ${limit}`.execute(db)
  return found.rows
}

function timeText(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
