import { sql } from 'kysely'
import type { EventDeclaration } from '#contract/protocol/event-declaration.ts'
import type { Db } from '../../model/db.ts'

/** The events that the owning Modules of services declare as installed, by service; services without an owner are absent. */
export async function readDeclaredEvents(
  db: Db,
  serviceIds: readonly string[],
): Promise<Map<string, EventDeclaration[]>> {
  const result = await sql<{ service_id: string; events: EventDeclaration[] }>`
    select service.service_id, coalesce(declared.events, '[]'::json) as events
    from runtime.service as service
    join runtime.installation as owner on owner.bundle_install_id = service.owner_bundle_install_id
    join runtime.installed_resource as owned
      on owned.bundle_install_id = service.owner_bundle_install_id and owned.locator = service.owner_locator
    join runtime.bundle_version as version
      on version.bundle_environment_key = owner.bundle_environment_key
      and version.bundle_id = owner.bundle_id and version.version = owned.version
    left join lateral (
      select json_agg(event order by event ->> 'method') as events
      from json_array_elements(version.manifest -> 'resources') as resource,
        json_array_elements(coalesce(resource -> 'events', '[]'::json)) as event
      where resource ->> 'moduleId' = owned.module_id
    ) as declared on true
    where service.service_id = any(${serviceIds}::text[])`.execute(db)
  return new Map(result.rows.map(({ service_id, events }) => [service_id, events]))
}
