import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Tx } from '../../model/db.ts'

/** The registration of a service, locked against all who change it; undefined where there is none. */
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
