import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

export interface Emitted {
  kind: 'operation' | 'installation' | 'configuration'
  scopeId: number
  objectId: string
  /** The snapshot version of a configuration. */
  version?: number
}

/** Emits events in the transaction of the change. Readers load the current row when they deliver the event. */
export async function emitEvents(tx: Tx, events: readonly Emitted[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(
    (event) => sql`(${event.kind}, ${event.scopeId}, ${event.objectId}, ${event.version ?? null}::bigint)`,
  )
  await sql`
    insert into runtime.event (kind, scope_id, object_id, version)
    values ${sql.join(rows)}`.execute(tx)
}
