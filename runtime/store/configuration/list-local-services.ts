import type { LocalServiceRow } from './find-local-service.ts'
import type { Db } from '../../model/db.ts'

/** The local services of a scope ordered by name, starting after the given name. */
export function listLocalServices(
  db: Db,
  scopeId: number,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<LocalServiceRow[]> {
  let query = db
    .selectFrom('runtime.local_service')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .orderBy('service_name')
    .limit(limit)
  if (after !== undefined) query = query.where('service_name', '>', after)
  return query.execute()
}
