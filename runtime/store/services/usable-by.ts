import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'

/**
 * The condition that a scope may use a service: it is one of the consumers, or the owner's scope if there are no
 * consumers. See docs/protocol.md#who-may-use-a-service. Expects the aliases `service` and `owner`, the left-joined
 * installation.
 */
export function usableBy({ environmentKey, applicationRuntimeId, workspaceId }: Scope): RawBuilder<boolean> {
  return usableByColumns({
    environmentKey: sql`${environmentKey}::text`,
    applicationRuntimeId: sql`${applicationRuntimeId}::text`,
    workspaceId: sql`${workspaceId}::bigint`,
  })
}

/** As {@link usableBy}, for the scope of an installation with this alias. */
export function usableByInstallation(alias: string): RawBuilder<boolean> {
  return usableByColumns({
    environmentKey: sql.ref(`${alias}.environment_key`),
    applicationRuntimeId: sql.ref(`${alias}.application_runtime_id`),
    workspaceId: sql.ref(`${alias}.workspace_id`),
  })
}

function usableByColumns(scope: { [Part in keyof Scope]: RawBuilder<unknown> }): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  return sql<boolean>`(
    service.consumers @> jsonb_build_array(jsonb_build_object('environmentKey', ${environmentKey},
      'applicationRuntimeId', ${applicationRuntimeId}, 'workspaceId', ${workspaceId}))
    or (service.consumers = '[]'::jsonb
      and owner.environment_key is not distinct from ${environmentKey}
      and owner.application_runtime_id is not distinct from ${applicationRuntimeId}
      and owner.workspace_id is not distinct from ${workspaceId}))`
}
