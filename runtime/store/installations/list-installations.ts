import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { installationEndpoints } from '#contract/runtime-api/installations.ts'
import type { Actor } from '../../model/actor.ts'
import { UPGRADES } from '#contract/runtime-api/vocabulary.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { MERGED_STREAMS_MAX, isVisible, narrowToScopes, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { selectedClaim, upgradeTo, versionStanding } from './installations.ts'
import { findInstallationWords, isWordFound, claimedAs } from './search.ts'
import type { InstallationWord } from './search.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationViewRow } from '../../model/installation.ts'
import { readInstalledVersions } from './installed-versions.ts'

export type InstallationQuery = z.output<(typeof installationEndpoints)['GET /installations']['query']>

/** The row that a page starts after: its values in the columns of the sort order, and its id. */
export type After = { values: readonly (string | number)[]; bundleInstallId: string }

export type ListedInstallation = InstallationViewRow & { updated_microseconds: number }

/** The installations that the actor may see. Each sort order has an index, so a page costs the same at any depth. */
export async function listInstallationRows(
  db: Db,
  actor: Actor,
  filter: InstallationQuery,
  after: After | undefined,
): Promise<ListedInstallation[]> {
  const visible = await narrowToScopes(db, await visibleScopes(db, actor, 'read', filter))
  const q = filter.q === '' ? undefined : filter.q
  const words = q === undefined ? [] : await findInstallationWords(db, q)
  const versions = filter.upgrade && (await versionsWith(db, visible, filter, filter.upgrade))
  const streams = streamsOf(filter, { visible, words, versions })
  if (streams?.length === 0) return []

  const sort = SORTS[filter.sort]
  const order = orderBy(sort, 'installation', filter.limit + 1)
  const isClaimed = filter.claim === undefined ? sql`true` : await claimedAs(db, filter.claim)
  const isSelected =
    versions === undefined || streams?.[0]?.isOfVersions === true
      ? sql`true`
      : sql`(${isOneOf(versions)} or installation.pinned_to is not null)`
  const isOffered = filter.upgrade === undefined ? sql`true` : pinnedAs(filter.upgrade)
  const condition = sql`${isVisible(visible, 'installation')} and ${installationFilter(filter)} and ${isClaimed}
    and ${after === undefined ? sql`true` : isAfter(sort, after)} and ${isSelected} and ${isOffered}`
  const hasWords = words.length === 0 ? sql`true` : sql.join(words.map(isWordFound), sql` and `)
  // `is true` keeps the planner from reading all that one of the words selects, instead of a stream in its order
  const hasWordsByRow = sql`(${hasWords}) is true`
  // reads the rows of the page first, then the claims of these rows only
  const page =
    streams === null
      ? words.length === 0 || filter.sort.endsWith('bundleId')
        ? sql`select installation.* from runtime.installation where ${condition} and ${hasWords} ${order}`
        : // "offset 0" keeps the planner from sorting what it takes for rare: each word is frequent
          sql`select * from (
            select installation.* from runtime.installation where ${condition}
            ${orderBy(sort, 'installation', null)} offset 0) as installation
          where ${hasWords} limit ${filter.limit + 1}`
      : sql`select * from (${sql.join(
          streams.map(
            ({ keys, isIts, isMany }) => sql`
              select first.* from ${isMany ? earliestStreams(sort, { keys, isIts, condition: sql`${condition} and ${hasWordsByRow}`, limit: filter.limit + 1 }) : keys}
              cross join lateral (
                select installation.* from runtime.installation where ${isIts} and ${condition} and ${isMany ? hasWordsByRow : hasWords} ${order}) as first`,
          ),
          sql` union `,
        )}) as merged ${orderBy(sort, 'merged', filter.limit + 1)}`
  const { rows } = await sql<ListedInstallation>`
    select installation.*, ${microsecondsOf('installation.updated_at')} as updated_microseconds,
      ${selectedClaim}, ${upgradeTo} as upgrade_to,
      ${versionStanding} as version_standing
    from (${page}) as installation
    left join runtime.operation as claim
      on claim.bundle_install_id = installation.bundle_install_id and claim.holds_claim
    ${orderBy(sort, 'installation', null)}`.execute(db)
  return rows
}

function installationFilter(filter: InstallationQuery): RawBuilder<unknown> {
  const { bundleEnvironmentKey, bundleId, version, state, upgrade, safeguard } = filter
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (safeguard !== undefined)
    conditions.push(
      sql`(${sql.join(
        safeguard.map((one) =>
          one === 'protected'
            ? sql`installation.protected_at is not null`
            : sql`installation.pinned_to is not null`,
        ),
        sql` or `,
      )})`,
    )
  if (bundleEnvironmentKey !== undefined)
    conditions.push(sql`installation.bundle_environment_key = ${bundleEnvironmentKey}`)
  if (bundleId !== undefined) conditions.push(sql`installation.bundle_id = ${bundleId}`)
  // redundant, but the index has the order
  if (version !== undefined)
    conditions.push(
      sql`installation.version_order = runtime.version_order(${version}) and installation.version = ${version}`,
    )
  if (upgrade !== undefined) conditions.push(sql`installation.state = 'ACTIVE'`)
  if (state !== undefined) {
    const [only] = state
    // an equality keeps the order of the index
    conditions.push(
      state.length === 1
        ? sql`installation.state = ${only}`
        : sql`installation.state = any(${state}::text[])`,
    )
    // redundant, but lets the planner use the small partial index
    if (!state.includes('ACTIVE')) conditions.push(sql`installation.state <> 'ACTIVE'`)
  }
  return sql.join(conditions, sql` and `)
}

/** Installed versions of bundles that a filter selects, and how many installations have them. */
interface SelectedVersions {
  environments: string[]
  bundles: string[]
  versions: string[]
  /** The place of each version among others, as in `version_order`. */
  orders: string[]
  installations: number
}

/** The installed versions for which a newer one is, or is not, published. */
async function versionsWith(
  db: Db,
  visible: VisibleScopes,
  filter: InstallationQuery,
  upgrade: NonNullable<InstallationQuery['upgrade']>,
): Promise<SelectedVersions> {
  const rows = (await readInstalledVersions(db, visible, filter)).filter(({ is_outdated }) =>
    upgrade.includes(is_outdated ? 'available' : 'none'),
  )
  return {
    environments: rows.map((row) => row.bundle_environment_key),
    bundles: rows.map((row) => row.bundle_id),
    versions: rows.map((row) => row.version),
    orders: rows.map((row) => row.version_order),
    installations: rows.reduce((sum, row) => sum + row.installations, 0),
  }
}

function isOneOf({ environments, bundles, versions }: SelectedVersions): RawBuilder<unknown> {
  return sql`(installation.bundle_environment_key, installation.bundle_id, installation.version) in (
    select * from unnest(${environments}::text[], ${bundles}::text[], ${versions}::text[]))`
}

/** Of a pinned installation, its pin decides whether there is an upgrade, not its version alone. */
const pinnedAs = (upgrade: NonNullable<InstallationQuery['upgrade']>): RawBuilder<unknown> =>
  upgrade.length === UPGRADES.length
    ? sql`true`
    : sql`(installation.pinned_to is null or ${upgradeTo} is ${upgrade.includes('available') ? sql`not null` : sql`null`})`

interface Stream {
  /** A table expression with the alias `stream`. */
  keys: RawBuilder<unknown>
  /** The condition that an installation belongs to the row of `stream`. */
  isIts: RawBuilder<unknown>
  /** Only the streams that the page begins with are read. */
  isMany?: boolean
  /** Each stream is a version of a bundle, or the pinned installations, and no others are selected. */
  isOfVersions?: boolean
}

/** The streams to merge; null if filtering the whole list is faster. */
function streamsOf(
  filter: InstallationQuery,
  {
    visible,
    words,
    versions,
  }: { visible: VisibleScopes; words: readonly InstallationWord[]; versions: SelectedVersions | undefined },
): Stream[] | null {
  const places = visible.kind === 'scopes' ? visible.ids : null
  if (places?.length === 0) return []
  if (versions?.installations === 0) return [PINNED]
  const [rarest] = words.toSorted((one, other) => one.installations - other.installations)
  if (rarest !== undefined && rarest.installations <= SORTED_MAX) return streamsOfWord(rarest)
  if (rarest === undefined && places !== null && places.length <= MERGED_STREAMS_MAX)
    return places.length === 1
      ? null
      : [
          {
            keys: sql`unnest(${places}::bigint[]) as stream (key)`,
            isIts: sql`installation.scope_id = stream.key`,
          },
        ]
  const isSorted = !filter.sort.endsWith('bundleId')
  const bundles = bundlesOf(words)
  if (!isSorted && bundles !== null) {
    if (bundles.length === 0) return []
    return [
      {
        keys: sql`unnest(${bundles}::text[]) as stream (key)`,
        isIts: sql`installation.bundle_id = stream.key`,
        isMany: true,
      },
    ]
  }
  // the versions of a bundle have no index by id, so all installations of a version are sorted
  if (versions === undefined || !(isSorted || versions.installations <= SORTED_MAX)) return null
  return [
    {
      keys: sql`unnest(${versions.environments}::text[], ${versions.bundles}::text[], ${versions.versions}::text[],
        ${versions.orders}::text[]) as stream (environment, bundle, version, version_order)`,
      isIts: sql`installation.bundle_id = stream.bundle and installation.version_order = stream.version_order
        and installation.version = stream.version and installation.bundle_environment_key = stream.environment`,
      isMany: true,
      isOfVersions: true,
    },
    PINNED,
  ]
}

/** Whether a pinned installation has an upgrade depends on its pin too, so the streams of the versions do not find it. */
const PINNED: Stream = {
  keys: sql`(values (true)) as stream (key)`,
  isIts: sql`installation.pinned_to is not null`,
  isOfVersions: true,
}

/** The bundles that every word allows which matches nothing but bundles; null if there is no such word. */
function bundlesOf(words: readonly InstallationWord[]): string[] | null {
  const [first, ...others] = words.filter(
    ({ versions, scopes, ids }) => versions.length === 0 && scopes.length === 0 && ids.length === 0,
  )
  return first === undefined
    ? null
    : first.bundles.filter((bundle) => others.every(({ bundles }) => bundles.includes(bundle)))
}

/**
 * Up to this number of installations, sorting them is faster than looking for them in the whole list. As many as the scopes that can be
 * merged may have.
 */
const SORTED_MAX = 10_000

function streamsOfWord({ bundles, versions, scopes, ids }: InstallationWord): Stream[] {
  return [
    { list: bundles, keys: sql`${bundles}::text[]`, isIts: sql`installation.bundle_id = stream.key` },
    {
      list: versions,
      keys: sql`${versions}::text[]`,
      isIts: sql`installation.version_order = runtime.version_order(stream.key)
        and installation.version = stream.key`,
    },
    { list: scopes, keys: sql`${scopes}::bigint[]`, isIts: sql`installation.scope_id = stream.key` },
    { list: ids, keys: sql`${ids}::uuid[]`, isIts: sql`installation.bundle_install_id = stream.key` },
  ]
    .filter(({ list }) => list.length > 0)
    .map(({ keys, isIts }) => ({ keys: sql`unnest(${keys}) as stream (key)`, isIts }))
}

/** A page has rows of at most as many streams as it has rows: of those whose first row comes first. */
function earliestStreams(
  sort: Sort,
  {
    keys,
    isIts,
    condition,
    limit,
  }: { keys: RawBuilder<unknown>; isIts: RawBuilder<unknown>; condition: RawBuilder<unknown>; limit: number },
): RawBuilder<unknown> {
  return sql`(
    select stream.* from ${keys} cross join lateral (
      select installation.* from runtime.installation where ${isIts} and ${condition}
      ${orderBy(sort, 'installation', 1)}) as head
    ${orderBy(sort, 'head', limit)}) as stream`
}

interface Sort {
  /** Before the id. */
  columns: readonly ('updated_at' | 'bundle_id' | 'version_order')[]
  direction: 'asc' | 'desc'
}

/** The order of each sort; the cursor of a page has the values of these columns. */
export const SORTS: Record<InstallationQuery['sort'], Sort> = {
  '-updatedAt': { columns: ['updated_at'], direction: 'desc' },
  updatedAt: { columns: ['updated_at'], direction: 'asc' },
  bundleId: { columns: ['bundle_id'], direction: 'asc' },
  '-bundleId': { columns: ['bundle_id'], direction: 'desc' },
  version: { columns: ['version_order', 'updated_at'], direction: 'asc' },
  '-version': { columns: ['version_order', 'updated_at'], direction: 'desc' },
}

function orderBy({ columns, direction }: Sort, table: string, limit: number | null): RawBuilder<unknown> {
  const order = [...columns, 'bundle_install_id'].map((column) => sql.ref(`${table}.${column}`))
  const directed = order.map((column) => (direction === 'desc' ? sql`${column} desc` : column))
  return sql`order by ${sql.join(directed)} ${limit === null ? sql`` : sql`limit ${limit}`}`
}

function isAfter({ columns, direction }: Sort, { values, bundleInstallId }: After): RawBuilder<boolean> {
  const from = values.map((value) => (typeof value === 'number' ? instantAt(value) : sql`${value}`))
  const compared = [...columns, 'bundle_install_id'].map((column) => sql.ref(`installation.${column}`))
  return sql<boolean>`(${sql.join(compared)}) ${direction === 'desc' ? sql`<` : sql`>`}
    (${sql.join([...from, sql`${bundleInstallId}::uuid`])})`
}
