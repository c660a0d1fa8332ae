import { sql } from 'kysely'
import type { EventDeclaration } from '#contract/protocol/event-declaration.ts'
import type { Db } from '../../model/db.ts'
import { declaredEvents } from './services.ts'

/** The events that the owning Modules of services declare as installed, by service; services without an owner are absent. */
export async function readDeclaredEvents(
  db: Db,
  serviceIds: readonly string[],
): Promise<Map<string, EventDeclaration[]>> {
  const result = await sql<{ service_id: string; events: EventDeclaration[] }>`
    with owned as materialized (
      select service.service_id, owner.bundle_environment_key, owner.bundle_id, owned.version, owned.module_id
      from runtime.service as service
      join runtime.installation as owner on owner.bundle_install_id = service.owner_bundle_install_id
      join runtime.installed_resource as owned
        on owned.bundle_install_id = service.owner_bundle_install_id and owned.locator = service.owner_locator
      where service.service_id = any(${serviceIds}::text[])
    ), declared as materialized (${declaredEvents('owned')})
    select service_id, coalesce((
      select json_agg(event order by event ->> 'method')
      from json_array_elements(declared.events) as event), '[]') as events
    from owned left join declared using (bundle_environment_key, bundle_id, version, module_id)`.execute(db)
  return new Map(result.rows.map(({ service_id, events }) => [service_id, events]))
}
