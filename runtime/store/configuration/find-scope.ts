import type { Selectable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type ScopeRow = Selectable<RuntimeTables['runtime.scope']>

/** Returns the row of a scope, or undefined if nothing was ever installed or saved in it. */
export function findScope(db: Db, scope: Scope): Promise<ScopeRow | undefined> {
  return db
    .selectFrom('runtime.scope')
    .selectAll()
    .where('environment_key', '=', scope.environmentKey)
    .where('application_runtime_id', '=', scope.applicationRuntimeId)
    .where('workspace_id', '=', scope.workspaceId)
    .executeTakeFirst()
}

export function scopeOf(row: {
  environment_key: string
  application_runtime_id: string
  workspace_id: number
}): Scope {
  return {
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
  }
}
