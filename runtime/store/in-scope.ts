import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

export interface ScopeFilter {
  environmentKey?: string | undefined
  applicationRuntimeId?: string | undefined
  workspaceId?: number | undefined
}

/** The condition that the row of alias `table` is in the scope, or the part of a scope, of the filter. */
export function inScope(filter: ScopeFilter, table: string): RawBuilder<boolean> {
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  const parts = [
    ['environment_key', environmentKey],
    ['application_runtime_id', applicationRuntimeId],
    ['workspace_id', workspaceId],
  ] as const
  const conditions = parts
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.ref(`${table}.${column}`)} = ${value}`)
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
