import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import { changeView } from '../../engine/changes/change-view.ts'
import { isPutAside } from '../../engine/plans/upgrade-plan.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

interface Defining {
  locator: string
  definitions: Readonly<Record<string, PropertyDefinition>>
}

/**
 * The changes of a plan, for the audit. `earlier` defines properties that the plan's resources no longer define. If
 * both define a property and either definition is sensitive, it is hidden.
 */
export function changeViews(plan: FrozenPlan, earlier: readonly Defining[] = []): PropertyChange[] {
  return plan.changes.map((change) => {
    const [target, before] = [plan.resources, earlier].map((defining: readonly Defining[]) => {
      const resource = resourceAt(defining, change.locator)
      return resource && getOwn(resource.definitions, change.property)
    })
    return {
      ...changeView(change, before?.isSensitive === true ? before : (target ?? before)),
      ...(isPutAside(plan, change) && { isPutAside: true as const }),
    }
  })
}
