import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { FrozenPlan, PlannedResource } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'
import type { PlatformProblem } from '../refusals.ts'
import { inCallOrder } from '../steps/next-step.ts'

interface PropertyRef {
  locator: string
  property: string
}

interface PlannedCall {
  pluginId: string
  order: number
  /** The changed properties that the plugin may read. */
  reads: PropertyRef[]
  /** The properties that the plugin may write. */
  writes: PropertyRef[]
}

/** The plugin calls that an operation with this plan makes, by stage and in call order. */
export function plannedStages(
  { plugins, changes }: Pick<FrozenPlan, 'plugins' | 'changes'>,
  operationType: OperationType,
): { stage: Stage; calls: PlannedCall[] }[] {
  const changesOf = Map.groupBy(changes, ({ locator }) => locator)
  const calls = inCallOrder(plugins, operationType).map(({ pluginId, order, resources }) => ({
    pluginId,
    order,
    reads: resources.flatMap(({ resource, readProperties }) => {
      const readable = new Set(readProperties)
      return (changesOf.get(resource) ?? [])
        .filter(({ property }) => readable.has(property))
        .map(({ locator, property }) => ({ locator, property }))
    }),
    writes: resources.flatMap(({ resource, writeProperties }) =>
      writeProperties.map((property) => ({ locator: resource, property })),
    ),
  }))
  return STAGES.map((stage) => ({ stage, calls }))
}

/** The plugins that operations with these plans call, in the order of their ids; each is named once. */
export function calledPlugins(plans: readonly (Pick<FrozenPlan, 'plugins'> | null)[]): string[] {
  const called = plans.flatMap((plan) => plan?.plugins ?? []).map(({ pluginId }) => pluginId)
  return [...new Set(called)].toSorted()
}

/** Why an environment that requires a passing report refuses to call these plugins; each is named once. */
export function uncheckedProblems(
  plugins: FrozenPlan['plugins'],
  unchecked: UncheckedPlugins,
  environment: string,
): PlatformProblem[] {
  return [...new Set(plugins.map(({ pluginId }) => pluginId))].flatMap((plugin) => {
    const found = unchecked.get(plugin)
    if (found?.policy !== 'REFUSE') return []
    const { version, reason } = found
    const message =
      version === null
        ? platformMessage('pluginVersionUnknown', { environment, plugin })
        : reason === 'NO_REPORT'
          ? platformMessage('pluginReportMissing', { environment, plugin, version })
          : platformMessage('pluginReportNotPassed', { environment, plugin, version })
    return [{ errorCode: 'PLUGIN_NOT_CHECKED', ...message }]
  })
}

/** A resource that an operation takes away, with these values. */
export function detachedResource(row: LedgerRow, properties: PlannedResource['properties']): PlannedResource {
  return {
    locator: row.locator,
    kind: row.kind,
    title: row.title,
    moduleId: row.module_id,
    action: 'DETACH',
    currentVersion: row.version,
    targetVersion: row.version,
    properties,
    definitions: row.definitions,
    writtenBy: row.written_by,
  }
}
