import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Actor } from '../model/actor.ts'
import type { Db } from '../model/db.ts'
import { scopeOf } from './configuration/scopes.ts'

/** An object in a request path. */
export type PathObject = { bundleInstallId: string } | { operationId: string }

/** Returns the scope of an installation or operation, or undefined if it does not exist. */
export async function findScopeOf(db: Db, object: PathObject): Promise<Scope | undefined> {
  const columns = ['environment_key', 'application_runtime_id', 'workspace_id'] as const
  const row =
    'operationId' in object
      ? await db
          .selectFrom('runtime.operation')
          .select(columns)
          .where('operation_id', '=', object.operationId)
          .executeTakeFirst()
      : await db
          .selectFrom('runtime.installation')
          .select(columns)
          .where('bundle_install_id', '=', object.bundleInstallId)
          .executeTakeFirst()
  return row && scopeOf(row)
}

/** Those of the operations or installations that exist in a scope where the actor may read, or do something else. */
export async function findVisible(
  db: Db,
  actor: Actor,
  kind: 'operation' | 'installation',
  ids: readonly string[],
  permission: Permission = 'read',
): Promise<ReadonlySet<string>> {
  const id = sql.ref(kind === 'operation' ? 'operation_id' : 'bundle_install_id')
  const { rows } = await sql<{ id: string }>`
    select ${id} as id from ${sql.table(`runtime.${kind}`)} as object
    where ${id} = any(${[...ids]}::uuid[]) and ${visibleTo(actor, permission, 'object')}`.execute(db)
  return new Set(rows.map((row) => row.id))
}

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

/** The scopes that a list may show: those that the person may see, narrowed by the filter. */
export type VisibleScopes =
  | { kind: 'everything' }
  | { kind: 'environments'; keys: string[] }
  | { kind: 'scopes'; ids: number[] }

/** Up to this number, merging sorted streams is faster than filtering the whole list. */
export const MERGED_STREAMS_MAX = 200

/** Resolved on the small table of scopes, so that queries on large tables can use a narrow index. */
export async function visibleScopes(
  db: Db,
  actor: Actor,
  permission: Permission,
  filter: ScopeFilter,
): Promise<VisibleScopes> {
  const grants = actor.grants.filter(({ permissions }) => permissions.includes(permission))
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  const isWide = applicationRuntimeId === undefined && workspaceId === undefined
  const isEverywhere = grants.some(({ scope }) => scope === null)
  if (isWide && isEverywhere) {
    return environmentKey === undefined
      ? { kind: 'everything' }
      : { kind: 'environments', keys: [environmentKey] }
  }
  const environments = grants.flatMap(({ scope }) =>
    scope !== null && !('applicationRuntimeId' in scope) ? [scope.environmentKey] : [],
  )
  if (isWide && environments.length === grants.length) {
    const keys = environments.filter((key) => environmentKey === undefined || key === environmentKey)
    return { kind: 'environments', keys: [...new Set(keys)] }
  }
  const { rows } = await sql<{ scope_id: number }>`
    select scope_id from runtime.scope as scope
    where ${visibleTo(actor, permission, 'scope')} and ${inScope(filter, 'scope')}`.execute(db)
  return { kind: 'scopes', ids: rows.map(({ scope_id }) => scope_id) }
}

/** Replaces environments by their scopes if these are few: in a full list, rows of a small environment are rare. */
export async function narrowToScopes(db: Db, visible: VisibleScopes): Promise<VisibleScopes> {
  if (visible.kind !== 'environments') return visible
  const { rows } = await sql<{ scope_id: number }>`
    select scope_id from runtime.scope where environment_key = any(${visible.keys}::text[])
    limit ${MERGED_STREAMS_MAX + 1}`.execute(db)
  return rows.length > MERGED_STREAMS_MAX
    ? visible
    : { kind: 'scopes', ids: rows.map(({ scope_id }) => scope_id) }
}

/** The condition that a row of the alias is visible. */
export function isVisible(visible: VisibleScopes, table: string): RawBuilder<boolean> {
  switch (visible.kind) {
    case 'everything':
      return sql<boolean>`true`
    case 'environments':
      return sql<boolean>`${sql.ref(`${table}.environment_key`)} = any(${visible.keys}::text[])`
    case 'scopes': {
      const [only] = visible.ids
      // an equality keeps the order of the index
      return visible.ids.length === 1 && only !== undefined
        ? sql<boolean>`${sql.ref(`${table}.scope_id`)} = ${only}`
        : sql<boolean>`${sql.ref(`${table}.scope_id`)} = any(${visible.ids}::bigint[])`
    }
  }
}
