import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { LocalServiceRow } from './find-local-service.ts'
import type { Tx } from '../../model/db.ts'

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
