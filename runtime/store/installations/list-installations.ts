import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { installationEndpoints } from '#contract/runtime-api/installations.ts'
import type { Actor } from '../../model/actor.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { MERGED_STREAMS_MAX, isVisible, narrowToScopes, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { claimColumns } from './claim.ts'
import { countOf, findWords, isWordFound } from './find-words.ts'
import type { FoundWord } from './find-words.ts'
import { claimedAs } from './find-claimed.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'

export type InstallationQuery = z.output<(typeof installationEndpoints)['GET /installations']['query']>

const CLAIM = sql.join(
  claimColumns.map((column) => {
    const [from = '', to = ''] = column.split(' as ')
    return sql`${sql.ref(from)} as ${sql.ref(to)}`
  }),
)

/** The row that a page starts after, as its sort value and id. */
export type After = { value: string | number; bundleInstallId: string }

export type ListedInstallation = InstallationRow & { updated_microseconds: number }

/** The installations that the actor may see. Each sort order has an index, so a page costs the same at any depth. */
export async function listInstallations(
  db: Db,
  actor: Actor,
  filter: InstallationQuery,
  after: After | undefined,
): Promise<ListedInstallation[]> {
  const visible = await narrowToScopes(db, await visibleScopes(db, actor, 'read', filter))
  const q = filter.q === '' ? undefined : filter.q
  const words = q === undefined ? [] : await findWords(db, q)
  const streams = streamsOf(filter, visible, words)
  if (streams?.length === 0) return []

  const sort = SORTS[filter.sort]
  const direction = sort.direction === 'desc' ? sql`desc` : sql`asc`
  const order = sql`order by ${sql.ref(sort.column)} ${direction}, bundle_install_id ${direction}
    limit ${filter.limit + 1}`
  const isClaimed = filter.claim === undefined ? sql`true` : await claimedAs(db, filter.claim)
  const condition = sql`${isVisible(visible, 'installation')} and ${installationFilter(filter)} and ${isClaimed}
    and ${after === undefined ? sql`true` : isAfter(sort, after)}
    and ${words.length === 0 ? sql`true` : sql.join(words.map(isWordFound), sql` and `)}`
  // reads the rows of the page first, then the claims of these rows only
  const page =
    streams === null
      ? sql`select installation.* from runtime.installation where ${condition} ${order}`
      : sql`select * from (${sql.join(
          streams.map(
            ({ keys, isIts }) => sql`
              select first.* from unnest(${keys}) as stream (key) cross join lateral (
                select installation.* from runtime.installation where ${isIts} and ${condition} ${order}) as first`,
          ),
          sql` union `,
        )}) as merged ${order}`
  const { rows } = await sql<ListedInstallation>`
    select installation.*, ${microsecondsOf('installation.updated_at')} as updated_microseconds,
      ${CLAIM}
    from (${page}) as installation
    left join runtime.operation as claim
      on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    order by ${sql.ref(`installation.${sort.column}`)} ${direction}, installation.bundle_install_id ${direction}`.execute(
    db,
  )
  return rows
}

function installationFilter({ bundleId, version, state }: InstallationQuery): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (bundleId !== undefined) conditions.push(sql`installation.bundle_id = ${bundleId}`)
  if (version !== undefined) conditions.push(sql`installation.version = ${version}`)
  if (state !== undefined) {
    conditions.push(sql`installation.state = any(${state}::text[])`)
    // redundant, but lets the planner use the small partial index
    if (!state.includes('ACTIVE')) conditions.push(sql`installation.state <> 'ACTIVE'`)
  }
  return sql.join(conditions, sql` and `)
}

interface Stream {
  keys: RawBuilder<unknown>
  /** The condition that an installation belongs to the stream of `stream.key`. */
  isIts: RawBuilder<unknown>
}

/** The streams to merge; null if filtering the whole list is faster. */
function streamsOf(
  filter: InstallationQuery,
  visible: VisibleScopes,
  words: readonly FoundWord[],
): Stream[] | null {
  const places = visible.kind === 'scopes' ? visible.ids : null
  if (places?.length === 0) return []
  const [rarest] = words.toSorted((one, other) => countOf(one) - countOf(other))
  if (rarest !== undefined) {
    const { bundles, versions, scopes, ids } = rarest
    if (countOf(rarest) > MERGED_STREAMS_MAX) return null
    return [
      { list: bundles, keys: sql`${bundles}::text[]`, isIts: sql`installation.bundle_id = stream.key` },
      { list: versions, keys: sql`${versions}::text[]`, isIts: sql`installation.version = stream.key` },
      { list: scopes, keys: sql`${scopes}::bigint[]`, isIts: sql`installation.scope_id = stream.key` },
      { list: ids, keys: sql`${ids}::uuid[]`, isIts: sql`installation.bundle_install_id = stream.key` },
    ].filter(({ list }) => list.length > 0)
  }
  const isMerged =
    places !== null &&
    places.length > 1 &&
    places.length <= MERGED_STREAMS_MAX &&
    filter.sort.endsWith('updatedAt')
  return isMerged
    ? [{ keys: sql`${places}::bigint[]`, isIts: sql`installation.scope_id = stream.key` }]
    : null
}

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
