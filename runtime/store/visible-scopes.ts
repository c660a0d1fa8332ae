import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Actor } from '../model/actor.ts'
import { inScope } from './in-scope.ts'
import type { ScopeFilter } from './in-scope.ts'
import { visibleTo } from './visible.ts'
import type { Db } from '../model/db.ts'

/** What a list may show: what the person may see, and of that what the filter names. */
export type VisibleScopes =
  | { kind: 'everything' }
  | { kind: 'environments'; keys: string[] }
  | { kind: 'scopes'; ids: number[] }

/** So many streams of rows, each in its order already, are merged faster than one long stream is sifted. */
export const MERGED_STREAMS_MAX = 200

/** Resolved on the small table of scopes, so that the large ones are asked by a narrow index. */
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

/** The same by its scopes where they are few: a small environment would be a needle in the whole list. */
export async function narrowToScopes(db: Db, seen: VisibleScopes): Promise<VisibleScopes> {
  if (seen.kind !== 'environments') return seen
  const { rows } = await sql<{ scope_id: number }>`
    select scope_id from runtime.scope where environment_key = any(${seen.keys}::text[])
    limit ${MERGED_STREAMS_MAX + 1}`.execute(db)
  return rows.length > MERGED_STREAMS_MAX
    ? seen
    : { kind: 'scopes', ids: rows.map(({ scope_id }) => scope_id) }
}

/** The condition that a row of the alias is among what is seen. */
export function isVisible(seen: VisibleScopes, table: string): RawBuilder<boolean> {
  switch (seen.kind) {
    case 'everything':
      return sql<boolean>`true`
    case 'environments':
      return sql<boolean>`${sql.ref(`${table}.environment_key`)} = any(${seen.keys}::text[])`
    case 'scopes': {
      const [only] = seen.ids
      // an equality keeps the order of the index
      return seen.ids.length === 1 && only !== undefined
        ? sql<boolean>`${sql.ref(`${table}.scope_id`)} = ${only}`
        : sql<boolean>`${sql.ref(`${table}.scope_id`)} = any(${seen.ids}::bigint[])`
    }
  }
}
