import type { LocalServiceRow } from './find-local-service.ts'
import type { Db } from '../../model/db.ts'

/** Local services of a scope by name, from after the named one. */
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
