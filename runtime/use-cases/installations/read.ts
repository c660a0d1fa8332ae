import type { InstallationDetail, InstalledVersions } from '#contract/runtime-api/installations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Db } from '../../model/db.ts'
import { installationView } from '../../engine/views.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { findDetach, findInstallation, findNeighbors } from '../../store/installations/installations.ts'
import {
  countNewerVersions,
  readInstalledVersions,
  versionKey,
} from '../../store/installations/installed-versions.ts'
import type { InstalledVersionRow } from '../../store/installations/installed-versions.ts'
import { readStoredLedger } from '../../store/installations/ledger.ts'
import { listInstallationRows, SORTS } from '../../store/installations/list-installations.ts'
import type {
  After,
  InstallationQuery,
  ListedInstallation,
} from '../../store/installations/list-installations.ts'
import { listScopesWith, readInstalledIn } from '../../store/installations/version-matrix.ts'
import { visibleScopes } from '../../store/visible-scopes.ts'
import type { VisibleScopes } from '../../store/visible-scopes.ts'
import { requireVisible, notFound } from '../authorize.ts'
import { propertyViews } from '../configuration/read.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging.ts'
import { currentAuthorizations } from './load-authorizations.ts'

type InstallationEndpoint = 'GET /installations/{bundleInstallId}'

/** One installation with its ledger (values as last applied) and its plugins. */
export function readInstallation(
  { deps, actor }: ReadContext,
  { params }: Input<InstallationEndpoint>,
): Promise<Answer<InstallationEndpoint>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const row = await findInstallation(tx, params.bundleInstallId)
      if (row === undefined) throw notFound('installation')
      requireVisible(actor, scopeOf(row), 'installation')
      const scope = await findScope(tx, scopeOf(row))
      if (scope === undefined) throw new Error('An installation has no scope')
      const ledger = await readStoredLedger(tx, [row.bundle_install_id])
      const { before, after } = await findNeighbors(tx, row)
      return {
        ...installationView(row),
        resources: ledger.map((resource) => ({
          locator: resource.locator,
          title: resource.title,
          version: resource.version,
          verifiedAt: resource.verified_at,
          properties: propertyViews(resource.definitions, new Map(Object.entries(resource.properties))),
          definitions: resource.definitions,
        })),
        plugins: (await currentAuthorizations(tx, row, ledger)).map((plugin) => ({
          pluginId: plugin.pluginId,
          order: plugin.order,
          failurePolicy: plugin.failurePolicy,
          authorizations: plugin.resources,
        })),
        snapshotVersion: scope.snapshot_version,
        detached: row.state === 'DETACHED' ? await readDetach(tx, row.bundle_install_id) : null,
        predecessor: before === null ? null : { bundleInstallId: before },
        successor: after === null ? null : { bundleInstallId: after.id, state: after.state },
      }
    },
    { isolation: 'repeatable read' },
  )
}

async function readDetach(db: Db, bundleInstallId: string): Promise<InstallationDetail['detached']> {
  const found = await findDetach(db, bundleInstallId)
  if (found === undefined) return null
  const { at, by_id, by_name, reason, operation_id } = found
  return { at, by: { id: by_id, name: by_name }, reason, operationId: operation_id }
}

type InstallationsEndpoint = 'GET /installations'

/** Installations of every scope that the actor may see. */
export async function listInstallations(
  { deps, actor }: ReadContext,
  { query }: Input<InstallationsEndpoint>,
): Promise<Answer<InstallationsEndpoint>> {
  const rows = await listInstallationRows(deps.db, actor, query, readCursor(query))
  return pageOf(rows, query.limit, {
    item: (row) => installationView(row),
    valuesOf: (row) => [
      ...SORTS[query.sort].columns.map((column) => valueOf(row, column)),
      row.bundle_install_id,
    ],
  })
}

type Column = (typeof SORTS)[InstallationQuery['sort']]['columns'][number]

const valueOf = (row: ListedInstallation, column: Column): string | number =>
  column === 'updated_at' ? row.updated_microseconds : row[column]

function readCursor({ cursor, sort }: InstallationQuery): After | undefined {
  const { columns } = SORTS[sort]
  const after = cursorValues(cursor, [
    ...columns.map((column) => (column === 'updated_at' ? 'number' : 'string')),
    'string',
  ])
  if (after === null) return undefined
  return {
    values: columns.map((column, place) =>
      column === 'updated_at' ? cursorInteger(after[place]) : String(after[place]),
    ),
    bundleInstallId: cursorUuid(after.at(-1)),
  }
}

type VersionsEndpoint = 'GET /installed-versions'

/** Bundles by id, each with its installed versions and how many installations have them. */
export async function listInstalledVersions(
  { deps, actor }: ReadContext,
  { query }: Input<VersionsEndpoint>,
): Promise<Answer<VersionsEndpoint>> {
  return readPageOfBundles(deps.db, await visibleScopes(deps.db, actor, 'read', query), query)
}

type MatrixEndpoint = 'GET /installed-versions/scopes'

/** The scopes that have one of a page of bundles, or an outdated one, each with its versions. */
export function listVersionsByScope(
  { deps, actor }: ReadContext,
  { query }: Input<MatrixEndpoint>,
): Promise<Answer<MatrixEndpoint>> {
  const { bundleLimit, bundleCursor, limit, cursor, upgrade } = query
  const after = cursorValues(cursor, ['string', 'string', 'number'])
  if (after !== null) cursorInteger(after[2])
  return inTransaction(
    deps.db,
    async (tx) => {
      const visible = await visibleScopes(tx, actor, 'read', query)
      const bundles = await readPageOfBundles(tx, visible, {
        ...query,
        limit: bundleLimit,
        cursor: bundleCursor,
      })
      const wanted = bundles.items.flatMap(({ bundle, versions }) =>
        versions
          .filter(({ isOutdated }) => upgrade === undefined || isOutdated)
          .map(({ version }) => ({ ...bundle, version })),
      )
      const scopes = await listScopesWith(tx, visible, { wanted, filter: query, after, limit: limit + 1 })
      const installed = await readInstalledIn(
        tx,
        scopes.slice(0, limit).map(({ scope_id }) => scope_id),
        bundles.items.map(({ bundle }) => bundle),
      )
      const page = pageOf(scopes, limit, {
        item: (scope) => ({
          ...scopeOf(scope),
          installations: (installed.get(scope.scope_id) ?? []).map((row) => ({
            bundleInstallId: row.bundle_install_id,
            bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
            version: row.version,
            claim: row.claim,
          })),
        }),
        valuesOf: (scope) => [scope.environment_key, scope.application_runtime_id, scope.workspace_id],
      })
      return { ...page, bundles }
    },
    { isolation: 'repeatable read' },
  )
}

async function readPageOfBundles(
  db: Db,
  visible: VisibleScopes,
  query: Omit<Input<VersionsEndpoint>['query'], keyof Scope>,
): Promise<Answer<VersionsEndpoint>> {
  const rows = await readInstalledVersions(db, visible, query)
  const after = cursorValues(query.cursor, ['string', 'string'])
  const found = bundlesOf(rows).filter(
    (bundle) =>
      (query.upgrade === undefined || bundle.outdated > 0) &&
      hasText(bundle, query.q ?? '') &&
      (after === null || isAfter(bundle, after.map(String))),
  )
  const page = pageOf(found.slice(0, query.limit + 1), query.limit, {
    item: (bundle) => bundle,
    valuesOf: ({ bundle }) => [bundle.bundleId, bundle.environmentKey],
  })
  const outdated = page.items.flatMap(({ bundle, versions }) =>
    versions.filter(({ isOutdated }) => isOutdated).map(({ version }) => ({ ...bundle, version })),
  )
  const behind = await countNewerVersions(db, outdated)
  return {
    ...page,
    items: page.items.map((item) => ({
      ...item,
      versions: item.versions.map((one) => ({
        ...one,
        behind: behind.get(versionKey({ ...item.bundle, version: one.version })) ?? 0,
      })),
    })),
  }
}

/** Without how far each version is behind, which is counted for a page only. */
type CountedBundle = Omit<InstalledVersions, 'versions'> & {
  versions: Omit<InstalledVersions['versions'][number], 'behind'>[]
}

function bundlesOf(rows: readonly InstalledVersionRow[]): CountedBundle[] {
  const groups = Map.groupBy(rows, (row) => `${row.bundle_environment_key}/${row.bundle_id}`)
  return [...groups.values()].flatMap((versions) => {
    const [first] = versions
    if (first === undefined) return []
    const sum = (counted: readonly InstalledVersionRow[]) =>
      counted.reduce((total, { installations }) => total + installations, 0)
    return {
      bundle: { environmentKey: first.bundle_environment_key, bundleId: first.bundle_id },
      title: first.title,
      newest: { version: first.newest, publishedAt: first.newest_published_at },
      installations: sum(versions),
      outdated: sum(versions.filter((row) => row.is_outdated)),
      versions: versions.map((row) => ({
        version: row.version,
        publishedAt: row.published_at,
        installations: row.installations,
        isOutdated: row.is_outdated,
      })),
    }
  })
}

const hasText = ({ bundle, title }: CountedBundle, text: string): boolean =>
  `${bundle.bundleId}\n${title}`.toLowerCase().includes(text.toLowerCase())

/** Keys are ASCII, so this is the order of the database. */
function isAfter({ bundle }: CountedBundle, [bundleId = '', environmentKey = '']: string[]): boolean {
  if (bundle.bundleId !== bundleId) return bundle.bundleId > bundleId
  return bundle.environmentKey > environmentKey
}
