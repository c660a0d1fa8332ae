import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { untilFull, type OfFullPage } from '../full-page.ts'

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

/** The local services of a scope ordered by name, starting after the given name. */
export async function listLocalServiceRows(
  db: Db,
  scopeId: number,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<(LocalServiceRow & OfFullPage)[]> {
  let query = db
    .selectFrom('runtime.local_service')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .orderBy('service_name')
    .limit(limit)
  if (after !== undefined) query = query.where('service_name', '>', after)
  const page = { order: sql`service_name`, values: [sql`values`] }
  return (await untilFull<LocalServiceRow>(sql`${query}`, page).execute(db)).rows
}

/**
 * Compare-and-set on the version of the service, which increases by one; version 0 creates the service. Returns
 * undefined if the service is not at that version.
 */
export async function putLocalService(
  tx: Tx,
  service: {
    scopeId: number
    serviceName: string
    values: Readonly<Record<string, JsonValue>>
    version: number
    savedBy: Person
  },
): Promise<LocalServiceRow | undefined> {
  const { scopeId, serviceName, version, savedBy } = service
  const values = JSON.stringify(service.values)
  if (version === 0) {
    return tx
      .insertInto('runtime.local_service')
      .values({
        scope_id: scopeId,
        service_name: serviceName,
        values,
        version: 1,
        saved_by_id: savedBy.id,
        saved_by_name: savedBy.name,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
  }
  return tx
    .updateTable('runtime.local_service')
    .set({
      values,
      version: sql<number>`version + 1`,
      saved_at: sql<string>`clock_timestamp()`,
      saved_by_id: savedBy.id,
      saved_by_name: savedBy.name,
    })
    .where('scope_id', '=', scopeId)
    .where('service_name', '=', serviceName)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst()
}
