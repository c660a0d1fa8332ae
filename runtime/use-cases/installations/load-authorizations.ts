import * as z from 'zod'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { ManifestPlugin, AuthorManifest } from '#contract/protocol/manifest.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import { withoutShared } from '#contract/protocol/shared-definitions.ts'
import { compileAuthorizations } from '../../engine/calls/compile-authorization.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'
import { readRetired } from '../../store/plugins/plugins.ts'
import { readUnchecked } from '../../store/plugins/reports.ts'
import { readLatestPlan, readPluginBindings, findManifest } from '../../store/installations/last-applied.ts'
import { notFound } from '../authorize.ts'
import { eachTime } from '../gate/admit.ts'

/**
 * The plugin bindings of an installed version, compiled against its ledger. Refuses as `compileAuthorizations` does,
 * and with MANIFEST_INVALID if the bindings cannot be read.
 */
export async function loadAuthorizations(
  db: Db,
  installation: InstallationRow,
  ledger: readonly OwnedModule[],
  once = eachTime,
): Promise<CompiledAuthorization[]> {
  const { version, bundle_id } = installation
  const bundle = { environmentKey: installation.bundle_environment_key, bundleId: bundle_id }
  const { stored, plugins } = await once(['bindings', bundle, version], async () => {
    const read = version === null ? undefined : await readPluginBindings(db, bundle, version)
    // parsed with the schema again, so that a damaged row is reported and not used partially
    return { stored: read, plugins: z.array(ManifestPlugin).safeParse(read) }
  })
  if (!plugins.success) {
    const index = plugins.error.issues[0]?.path[0]
    throw new DomainError(
      'MANIFEST_INVALID',
      `The plugin bindings of bundle ${bundle_id} version ${version ?? 'unknown'} are broken` +
        `${describePlugin(stored, index)}. The bundle must be published again.`,
    )
  }
  return compileAuthorizations(plugins.data, modulesOfLedger(ledger))
}

function describePlugin(stored: unknown, index: PropertyKey | undefined): string {
  const plugin: unknown = Array.isArray(stored) && typeof index === 'number' ? stored[index] : undefined
  const named = z.object({ pluginId: z.string().max(128) }).safeParse(plugin)
  return named.success ? ` at plugin ${named.data.pluginId}` : ''
}

type OwnedModule = Pick<LedgerRow, 'module_id' | 'locator' | 'definitions'>

function modulesOfLedger(ledger: readonly OwnedModule[]) {
  return ledger.flatMap(({ module_id, locator, definitions }) =>
    module_id === null ? [] : [{ moduleId: module_id, locator, definitions }],
  )
}

/**
 * As `loadAuthorizations`, but falls back to the last frozen plan if the declaration is broken: an installation of a
 * broken bundle can still be shown, upgraded to a good version and detached by the plugins that know it.
 */
export async function loadAuthorizationsOrFrozen(
  db: Db,
  installation: InstallationRow,
  ledger: readonly OwnedModule[],
  once = eachTime,
): Promise<CompiledAuthorization[]> {
  try {
    return await loadAuthorizations(db, installation, ledger, once)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return (await readLatestPlan(db, installation.bundle_install_id))?.plugins ?? []
  }
}

/**
 * The authorizations of the plugins of the installed version; while an operation is unfinished or the bindings are
 * broken, those of the last frozen plan.
 */
export async function currentAuthorizations(
  db: Db,
  row: InstallationRow,
  ledger: readonly OwnedModule[],
): Promise<CompiledAuthorization[]> {
  if (row.state === 'DETACHED') return []
  if (row.state === 'ACTIVE' && row.claim_operation_id === null)
    return loadAuthorizationsOrFrozen(db, row, ledger)
  return (await readLatestPlan(db, row.bundle_install_id))?.plugins ?? []
}

/**
 * The manifest of a published version, each property with the shared definitions that it needs. Refuses with
 * NOT_FOUND, or MANIFEST_INVALID if it cannot be read.
 */
export async function loadManifest(db: Db, bundle: BundleRef, version: string): Promise<AuthorManifest> {
  const stored = await findManifest(db, bundle, version)
  if (stored === undefined) throw notFound('bundle version')
  const manifest = AuthorManifest.safeParse(stored)
  if (manifest.success) return withoutShared(manifest.data)
  throw new DomainError(
    'MANIFEST_INVALID',
    `The manifest of bundle ${bundle.bundleId} version ${version} is broken at ` +
      `${manifest.error.issues[0]?.path.join('.').slice(0, 128) ?? 'its root'}. The bundle must be published again.`,
  )
}

/** What stands against calls of these plugins in an environment: those without a passing report, and those that are retired. */
export async function loadObjections(
  db: Db,
  environmentKey: string,
  plugins: readonly { pluginId: string }[],
  once = eachTime,
): Promise<{ unchecked: UncheckedPlugins; retired: ReadonlySet<string> }> {
  const pluginIds = [...new Set(plugins.map(({ pluginId }) => pluginId))]
  return {
    unchecked: await once(['unchecked', environmentKey, pluginIds], () =>
      readUnchecked(db, environmentKey, plugins),
    ),
    retired: await once(['retired', pluginIds], () => readRetired(db, pluginIds)),
  }
}
