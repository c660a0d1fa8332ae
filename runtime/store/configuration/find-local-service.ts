import type { Selectable } from 'kysely'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

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
