import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { installationEndpoints } from '#contract/runtime-api/installations.ts'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../world.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { containsText } from '../page.ts'
import { visibleTo } from '../visible.ts'
import { claimColumns } from './claim.ts'
import type { InstallationRow } from './load-installations.ts'

export type InstallationQuery = z.output<(typeof installationEndpoints)['GET /installations']['query']>

/** Where a page begins: after the row with this sort value and id. */
export type After = { value: string | number; bundleInstallId: string }

export type ListedInstallation = InstallationRow & { updated_microseconds: number }

/** Installations that the actor may see; one index order a sort, so that a page costs the same at any depth. */
export function listInstallations(
  db: Db,
  actor: Actor,
  filter: InstallationQuery,
  after: After | undefined,
): Promise<ListedInstallation[]> {
  const { environmentKey, applicationRuntimeId, workspaceId, bundleId, version, state, claim, q } = filter
  const sort = SORTS[filter.sort]
  let query = db
    .selectFrom('runtime.installation as installation')
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'installation.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .selectAll('installation')
    .select(claimColumns)
    .select(microsecondsOf('installation.updated_at').as('updated_microseconds'))
    .where(visibleTo(actor, 'read', 'installation'))
    .where(containsText(q, SEARCHED))
    .orderBy(`installation.${sort.column}`, sort.direction)
    .orderBy('installation.bundle_install_id', sort.direction)
    .limit(filter.limit + 1)
  if (environmentKey !== undefined) query = query.where('installation.environment_key', '=', environmentKey)
  if (applicationRuntimeId !== undefined)
    query = query.where('installation.application_runtime_id', '=', applicationRuntimeId)
  if (workspaceId !== undefined) query = query.where('installation.workspace_id', '=', workspaceId)
  if (bundleId !== undefined) query = query.where('installation.bundle_id', '=', bundleId)
  if (version !== undefined) query = query.where('installation.version', '=', version)
  if (state !== undefined) query = query.where('installation.state', 'in', state)
  if (claim !== undefined) query = query.where(claimedAs(claim))
  if (after !== undefined) query = query.where(isAfter(sort, after))
  return query.execute()
}

const SEARCHED = [
  sql`installation.title`,
  sql`installation.bundle_id`,
  sql`installation.bundle_install_id::text`,
]

const SORTS = {
  '-updatedAt': { column: 'updated_at', direction: 'desc' },
  updatedAt: { column: 'updated_at', direction: 'asc' },
  bundleId: { column: 'bundle_id', direction: 'asc' },
  '-bundleId': { column: 'bundle_id', direction: 'desc' },
} as const

function isAfter(
  sort: (typeof SORTS)[keyof typeof SORTS],
  { value, bundleInstallId }: After,
): RawBuilder<boolean> {
  const from = typeof value === 'number' ? instantAt(value) : sql`${value}`
  const beyond = sort.direction === 'desc' ? sql`<` : sql`>`
  return sql<boolean>`(${sql.ref(`installation.${sort.column}`)}, installation.bundle_install_id)
    ${beyond} (${from}, ${bundleInstallId}::uuid)`
}

function claimedAs(wanted: NonNullable<InstallationQuery['claim']>): RawBuilder<boolean> {
  const conditions = wanted.map((claim) => {
    if (claim === 'none') return sql`claim.operation_id is null`
    if (claim === 'any') return sql`claim.operation_id is not null`
    return sql`claim.state = ${claim}`
  })
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
