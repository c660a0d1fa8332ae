import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import { containing, wordsOf } from '../text-search.ts'
import { inScope, visibleTo } from '../visible-scopes.ts'
import type { ScopeFilter } from '../visible-scopes.ts'
import type { Db } from '../../model/db.ts'

export interface ScopeCountsRow {
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  snapshot_version: number
  saved_at: string
  saved_by_id: string
  saved_by_name: string
  installations: number
  claimed: number
  failed: number
}

/** The scopes that the actor may see, ordered by their parts, starting after `after`. */
export async function listScopeRows(
  db: Db,
  actor: Actor,
  options: {
    filter: ScopeFilter & { q?: string | undefined }
    after: readonly (string | number)[] | null
    limit: number
  },
): Promise<ScopeCountsRow[]> {
  const { filter, after, limit } = options
  const result = await sql<ScopeCountsRow>`
    select scope.environment_key, scope.application_runtime_id, scope.workspace_id, scope.snapshot_version,
      scope.saved_at, scope.saved_by_id, scope.saved_by_name, counted.installations, counted.claimed, counted.failed
    from runtime.scope as scope
    cross join lateral (
      select count(*) as installations, count(claim.bundle_install_id) as claimed,
        count(*) filter (where claim.state = 'FAILED') as failed
      from runtime.installation as installation
      left join runtime.operation as claim
        on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
      where installation.scope_id = scope.scope_id and installation.state <> 'DETACHED'
    ) as counted
    where ${visibleTo(actor, 'read', 'scope')} and ${inScope(filter, 'scope')}
      and ${isAfterScope(after)} and ${hasWords(filter.q)}
    order by scope.environment_key, scope.application_runtime_id, scope.workspace_id
    limit ${limit}`.execute(db)
  return result.rows
}

/** The condition that each word occurs in the scope as people write it: `production/eu-central/1`. */
function hasWords(q: string | undefined): RawBuilder<unknown> {
  const words = wordsOf(q ?? '')
  if (words.length === 0) return sql`true`
  return sql.join(
    words.map((word) => sql`scope.path like lower(${containing(word)})`),
    sql` and `,
  )
}

/** The condition that the row of alias `scope` follows the scope of a cursor, in the order of their parts. */
export function isAfterScope(after: readonly (string | number)[] | null): RawBuilder<boolean> {
  if (after === null) return sql<boolean>`true`
  const [environmentKey, applicationRuntimeId, workspaceId] = after
  return sql<boolean>`(scope.environment_key, scope.application_runtime_id, scope.workspace_id)
    > (${environmentKey}, ${applicationRuntimeId}, ${workspaceId}::bigint)`
}
