import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

export interface Emitted {
  kind: 'operation' | 'installation' | 'configuration'
  scopeId: number
  objectId: string
  /** The snapshot version of a configuration. */
  version?: number
}

/** Tells, in the transaction of the change, that something changed; readers load its row when they pass it on. */
export async function emitEvents(tx: Tx, events: readonly Emitted[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(
    (event) => sql`(${event.kind}, ${event.scopeId}, ${event.objectId}, ${event.version ?? null}::bigint)`,
  )
  await sql`
    insert into runtime.event (kind, scope_id, object_id, version)
    values ${sql.join(rows)}`.execute(tx)
}
