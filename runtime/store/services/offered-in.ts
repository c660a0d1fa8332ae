import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import { inScope } from '../in-scope.ts'
import type { ScopeFilter } from '../in-scope.ts'
import { visibleTo } from '../visible.ts'

/**
 * The condition that a scope of the filter, which the actor may read, may use the service: it is a consumer, or the
 * owner's scope if there are no consumers. A scope that the actor may not read matches nothing, so a filter does not
 * reveal its content. Expects the aliases `service` and `owner`, the left-joined installation.
 */
export function offeredIn(actor: Actor, filter: ScopeFilter): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  if (environmentKey === undefined && applicationRuntimeId === undefined && workspaceId === undefined)
    return sql<boolean>`true`
  const isReadable = (table: string) => sql`${inScope(filter, table)} and ${visibleTo(actor, 'read', table)}`
  return sql<boolean>`(
    exists (
      select from jsonb_to_recordset(service.consumers)
        as named ("environmentKey" text, "applicationRuntimeId" text, "workspaceId" bigint)
        cross join lateral (values ("environmentKey", "applicationRuntimeId", "workspaceId"))
          as consumer (environment_key, application_runtime_id, workspace_id)
      where ${isReadable('consumer')})
    or (service.consumers = '[]'::jsonb and owner.bundle_install_id is not null and ${isReadable('owner')}))`
}
