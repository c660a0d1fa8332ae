import type { JsonValue } from '../json-schema/json.ts'
import type { Data, Reference, TypedValue } from './typed-value.ts'

/** Wraps a business value once, whatever it contains. */
export const wrapData = (value: JsonValue): Data => ({ '@type': 'Data', value })

/** Wraps a value whose definition says that it is sensitive. */
export const wrapSensitive = (value: JsonValue): Data => ({ '@type': 'Data', value, isSensitive: true })

export const isData = (value: TypedValue): value is Data => value['@type'] === 'Data'

export const isReference = (value: TypedValue): value is Reference => !isData(value)

/** The distinct services of a reference in order of first occurrence. */
export function referencedServices(reference: Reference): string[] {
  switch (reference['@type']) {
    case 'ServiceReference':
      return [reference.serviceId]
    case 'ServiceReferenceMap':
      return distinct(Object.values(reference.valueMap).map(({ serviceId }) => serviceId))
    case 'ServiceReferenceList':
      return distinct(reference.valueList.map(({ serviceId }) => serviceId))
  }
}

const distinct = (names: string[]): string[] => [...new Set(names)]

/** The business values of a resource's properties. Throws a TypeError that names a property that is not Data. */
export function decodeData(properties: Readonly<Record<string, TypedValue>>): Record<string, JsonValue> {
  return mapValues(properties, (value, name) => requireData(value, name).value)
}

/** Business values wrapped for output; those named in `sensitive` carry the mark. */
export function fromDataValues(
  values: Readonly<Record<string, JsonValue>>,
  { sensitive = [] }: { sensitive?: readonly string[] } = {},
): Record<string, Data> {
  return mapValues(values, (value, name) =>
    sensitive.includes(name) ? wrapSensitive(value) : wrapData(value),
  )
}

/** All properties and references of a resource entry, each in its complete wrapper. */
export function decode(entry: {
  properties: Readonly<Record<string, Data>>
  references: Readonly<Record<string, Reference>>
}): Record<string, TypedValue> {
  return { ...entry.properties, ...entry.references }
}

/**
 * Properties for output in their existing wrappers, sensitive marks kept. Throws a TypeError that names a bare value or
 * a reference, which plugins must not write.
 */
export function fromProperties(properties: Readonly<Record<string, TypedValue>>): Record<string, Data> {
  return mapValues(properties, (value, name) => ({ ...requireData(value, name) }))
}

// Plugin authors also call these from JavaScript, so the wrapper is checked at run time.
function requireData(value: TypedValue | undefined, name: string): Data {
  const wrapped =
    typeof value === 'object' && value !== null && isData(value) && Object.hasOwn(value, 'value')
  if (!wrapped) throw new TypeError(`Property ${name} must be wrapped as Data`)
  return value
}

// fromEntries defines its keys, so no name can reach the prototype.
const mapValues = <Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
