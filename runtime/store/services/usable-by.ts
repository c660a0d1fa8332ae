import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'

/**
 * The condition that a scope may use a service: it is one of the consumers, or the owner's scope if there are no
 * consumers. See docs/protocol.md#who-may-use-a-service. Expects the aliases `service` and `owner`, the left-joined
 * installation.
 */
export function usableBy(scope: Scope): RawBuilder<boolean> {
  return sql<boolean>`(
    service.consumers @> ${JSON.stringify([scope])}::jsonb
    or (service.consumers = '[]'::jsonb
      and owner.environment_key is not distinct from ${scope.environmentKey}
      and owner.application_runtime_id is not distinct from ${scope.applicationRuntimeId}
      and owner.workspace_id is not distinct from ${scope.workspaceId}))`
}
