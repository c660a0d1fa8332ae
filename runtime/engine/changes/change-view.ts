import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import type { PlannedChange } from '../../model/plan.ts'
import { propertyView } from './property-view.ts'
import type { StoredValue } from '../../model/stored-value.ts'

/** A change for display; one definition decides for both sides whether the value is masked. */
export function changeView(
  { locator, property, before, after }: PlannedChange<StoredValue>,
  definition: PropertyDefinition | undefined,
): PropertyChange {
  return {
    locator,
    property,
    before: propertyView(definition, before),
    after: propertyView(definition, after),
  }
}
