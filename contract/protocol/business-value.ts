import type { CheckBudget } from '../json-schema/check-work.ts'
import { checkValue, type Problem } from '../json-schema/json-schema.ts'
import { findMasks } from './data.ts'
import type { PropertyDefinition } from './property-definition.ts'
import { typeOfKind, valueSchema } from './property-kinds.ts'
import type { TypedValue } from './typed-value.ts'

/**
 * Returns what is wrong with a value of this property; empty if nothing is. Only the business value inside a Data is
 * checked against the schema, so a business object with its own `@type` is ordinary data. A sensitive value must not
 * contain a mask.
 *
 * @param budget of all values that are checked together.
 */
export function checkTypedValue(
  definition: PropertyDefinition,
  value: TypedValue,
  budget?: CheckBudget,
): Problem[] {
  const type = typeOfKind(definition.kind)
  if (value['@type'] !== type)
    return [
      {
        path: '',
        keyword: '@type',
        message: `Must be a ${type}`,
        parameters: { reason: 'valueKind', type },
      },
    ]
  if (value['@type'] !== 'Data') return []
  const masks = definition.isSensitive === true ? findMasks(value.value) : []
  return masks.length > 0 ? masks : checkValue(valueSchema(definition), value.value, budget)
}
