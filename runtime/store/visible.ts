import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Actor } from '../model/actor.ts'

/**
 * The condition that limits a list to what the actor may see. `table` is the alias that has environment_key,
 * application_runtime_id and workspace_id.
 */
export function visibleTo(actor: Actor, permission: Permission, table: string): RawBuilder<boolean> {
  const scopes = actor.grants
    .filter((grant) => grant.permissions.includes(permission))
    .map((grant) => grant.scope)
  if (scopes.includes(null)) return sql<boolean>`true`
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const conditions = scopes.flatMap((scope) => {
    if (scope === null) return []
    if (!('applicationRuntimeId' in scope))
      return [sql`${column('environment_key')} = ${scope.environmentKey}`]
    return [
      sql`(${column('environment_key')} = ${scope.environmentKey}
        and ${column('application_runtime_id')} = ${scope.applicationRuntimeId}
        and ${column('workspace_id')} = ${scope.workspaceId})`,
    ]
  })
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
