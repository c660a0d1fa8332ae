import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PropertyView } from '#contract/runtime-api/common.ts'

/**
 * A property as people may see it: the definition decides what is sensitive, whatever the value says of itself. A value
 * whose definition is not known is shown as sensitive, to be safe.
 */
export function propertyView(
  definition: PropertyDefinition | undefined,
  value: TypedValue | null,
): PropertyView | null {
  if (value === null)
    return definition?.isSensitive === true ? { '@type': 'Data', isSensitive: true, isSet: false } : null
  if (value['@type'] !== 'Data') return value
  if (definition === undefined || definition.isSensitive === true || value.isSensitive === true) {
    return { '@type': 'Data', isSensitive: true, isSet: true }
  }
  return { '@type': 'Data', value: value.value }
}
