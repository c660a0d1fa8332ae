import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { inCallOrder } from '../steps/next-step.ts'
import { withWrites } from '../steps/plugin-writes.ts'
import type { FrozenPlan, PlannedResource, Writes } from '../../model/plan.ts'
import { detachedResource } from './planned-calls.ts'
import type { LedgerRow } from '../../model/ledger.ts'

/**
 * The plan of a DETACH: everything in the ledger and, in a takeover, everything in the plan taken over, with the
 * plugins' writes applied. If both contain a resource or a plugin, the plan taken over wins, because it is newer.
 */
export function detachPlan({
  ledger,
  plugins,
  takenOver = { plan: { resources: [], plugins: [], changes: [] }, writes: {} },
}: {
  ledger: readonly LedgerRow[]
  /** The authorizations of the installed version; empty if the plan taken over contains them already. */
  plugins: readonly CompiledAuthorization[]
  takenOver?: { plan: FrozenPlan; writes: Writes }
}): FrozenPlan {
  const resources = new Map<string, PlannedResource>()
  for (const row of ledger) resources.set(row.locator, detachedResource(row, row.properties))
  for (const planned of takenOver.plan.resources) {
    const installed = resources.get(planned.locator)
    const values = withWrites(planned, takenOver.writes)
    // a value keeps the definition under which it was set, so that a sensitive value stays sensitive
    const definitions = Object.entries(installed?.definitions ?? {}).filter(
      ([property]) =>
        getOwn(planned.definitions, property) === undefined || getOwn(values, property) === undefined,
    )
    resources.set(planned.locator, {
      ...planned,
      action: 'DETACH',
      currentVersion: installed?.currentVersion ?? null,
      properties: { ...installed?.properties, ...values },
      definitions: { ...planned.definitions, ...Object.fromEntries(definitions) },
      writtenBy: { ...installed?.writtenBy, ...planned.writtenBy },
    })
  }
  return {
    resources: [...resources.values()].toSorted((a, b) => (a.locator < b.locator ? -1 : 1)),
    plugins: union(plugins, takenOver.plan.plugins),
    changes: [],
  }
}

function union(
  earlier: readonly CompiledAuthorization[],
  later: readonly CompiledAuthorization[],
): CompiledAuthorization[] {
  const byPlugin: Record<string, CompiledAuthorization> = {}
  for (const plugin of [...earlier, ...later]) {
    const before = getOwn(byPlugin, plugin.pluginId)
    const newer = new Set(plugin.resources.map(({ resource }) => resource))
    const remaining = (before?.resources ?? []).filter(({ resource }) => !newer.has(resource))
    byPlugin[plugin.pluginId] = { ...plugin, resources: [...remaining, ...plugin.resources] }
  }
  return inCallOrder(Object.values(byPlugin), 'INSTALL')
}
