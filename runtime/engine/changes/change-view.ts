import { inSchemaOrder } from '#contract/json-schema/key-order.ts'
import { valueSchema } from '#contract/protocol/property-kinds.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { PropertyChange, PropertyView } from '#contract/runtime-api/common.ts'
import type { PlannedChange, StoredValue } from '../../model/plan.ts'

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

/**
 * A property for display. The definition decides whether it is sensitive, not the value's flag; a value without a
 * definition is treated as sensitive. A sealed value need not be opened for this. Keys come in the order of the schema,
 * because the database does not keep theirs.
 */
export function propertyView(
  definition: PropertyDefinition | undefined,
  value: StoredValue | null,
): PropertyView | null {
  if (value === null)
    return definition?.isSensitive === true ? { '@type': 'Data', isSensitive: true, isSet: false } : null
  if (value['@type'] !== 'Data') return value
  if (definition === undefined || definition.isSensitive === true || value.isSensitive === true) {
    return { '@type': 'Data', isSensitive: true, isSet: true }
  }
  return { '@type': 'Data', value: inSchemaOrder(valueSchema(definition), value.value) }
}
