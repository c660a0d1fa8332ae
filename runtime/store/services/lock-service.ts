import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/** Locks the registration of a service against changes, and returns it, or undefined if there is none. */
export function lockService(
  tx: Tx,
  serviceId: string,
): Promise<Selectable<RuntimeTables['runtime.service']> | undefined> {
  return tx
    .selectFrom('runtime.service')
    .selectAll()
    .where('service_id', '=', serviceId)
    .forUpdate()
    .executeTakeFirst()
}
