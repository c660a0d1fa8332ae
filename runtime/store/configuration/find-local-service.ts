import type { Selectable } from 'kysely'
import type { Db } from '../../deps/runtime-deps.ts'
import type { RuntimeTables } from '../../model/tables.ts'

export type LocalServiceRow = Selectable<RuntimeTables['runtime.local_service']>

export function findLocalService(
  db: Db,
  scopeId: number,
  serviceName: string,
): Promise<LocalServiceRow | undefined> {
  return db
    .selectFrom('runtime.local_service')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .where('service_name', '=', serviceName)
    .executeTakeFirst()
}
