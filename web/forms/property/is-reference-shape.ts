import { isJsonObject } from '#contract/json-schema/json.ts'

/** Whether a value has the structure of a service reference, or of a map or list of them. */
export function isReferenceShape(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  switch (value['@type']) {
    case 'ServiceReference':
      return isReference(value)
    case 'ServiceReferenceMap':
      return isJsonObject(value['valueMap']) && Object.values(value['valueMap']).every(isReference)
    case 'ServiceReferenceList':
      return Array.isArray(value['valueList']) && value['valueList'].every(isReference)
    default:
      return false
  }
}

const isReference = (value: unknown): boolean =>
  isJsonObject(value) && value['@type'] === 'ServiceReference' && typeof value['serviceId'] === 'string'
