import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { isReferenceShape } from '../../forms/property/is-reference-shape.ts'

/** A typed value in an address; null if it is none, which the server refuses with the reason. */
export function parseFilterValue(text: string): PropertyRow['value'] {
  try {
    const value: unknown = JSON.parse(text)
    const isData = isJsonObject(value) && value['@type'] === 'Data' && 'value' in value
    return isData || isReferenceShape(value) ? (value as PropertyRow['value']) : null
  } catch {
    return null
  }
}
