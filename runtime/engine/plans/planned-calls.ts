import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { inCallOrder } from '../steps/next-step.ts'

export interface PropertyRef {
  locator: string
  property: string
}

export interface PlannedCall {
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
  const calls = inCallOrder(plugins, operationType).map(({ pluginId, order, resources }) => ({
    pluginId,
    order,
    reads: resources.flatMap(({ resource, readProperties }) =>
      changes
        .filter(({ locator, property }) => locator === resource && readProperties.includes(property))
        .map(({ locator, property }) => ({ locator, property })),
    ),
    writes: resources.flatMap(({ resource, writeProperties }) =>
      writeProperties.map((property) => ({ locator: resource, property })),
    ),
  }))
  return STAGES.map((stage) => ({ stage, calls }))
}
