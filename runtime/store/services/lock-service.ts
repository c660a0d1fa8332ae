import type { Selectable } from 'kysely'
import type { Tx } from '../../deps/runtime-deps.ts'
import type { RuntimeTables } from '../../model/tables.ts'

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
