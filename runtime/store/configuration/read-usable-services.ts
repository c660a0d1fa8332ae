import { sql } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Db } from '../../world.ts'

/**
 * Which of the services the scope may use: registered, enabled, and the scope is one of the consumers; a service
 * without any serves the scope of its owner (decisions, section 6).
 */
export async function readUsableServices(
  db: Db,
  scope: Scope,
  serviceIds: readonly string[],
): Promise<Set<string>> {
  if (serviceIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('runtime.service as service')
    .leftJoin('runtime.installation as owner', 'owner.bundle_install_id', 'service.owner_bundle_install_id')
    .select('service.service_id')
    .where('service.service_id', '=', sql<string>`any(${[...serviceIds]}::text[])`)
    .where('service.enabled', '=', true)
    .where(
      sql<boolean>`(
        service.consumers @> ${JSON.stringify([scope])}::jsonb
        or (service.consumers = '[]'::jsonb
          and owner.environment_key = ${scope.environmentKey}
          and owner.application_runtime_id = ${scope.applicationRuntimeId}
          and owner.workspace_id = ${scope.workspaceId}))`,
    )
    .execute()
  return new Set(rows.map(({ service_id }) => service_id))
}
