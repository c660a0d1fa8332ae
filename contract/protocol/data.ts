import { mapValues, pointerTo } from '../json-schema/json.ts'
import type { JsonValue } from '../json-schema/json.ts'
import type { Problem } from '../json-schema/value-problem.ts'
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

/** The text that the product displays in place of a sensitive value. */
export const MASK = '••••••••'

/** Characters with which products and password fields mask secrets, and whitespace around them. */
const MASK_CHARACTERS = /^[\s*∗＊⁎•·∙⋅・●⚫⬤○◦■▪█]+$/u

/** Whether a text is a mask: ours, or any other text that consists only of mask characters. */
export function isMask(text: string): boolean {
  return text === MASK || (text.trim() !== '' && MASK_CHARACTERS.test(text))
}

/**
 * Finds every mask inside a business value. A mask is copied from a page that hides the real value, so saving it would
 * overwrite that value. Object keys are not checked. Returns one problem per mask, empty if there is none.
 */
export function findMasks(value: JsonValue): Problem[] {
  const problems: Problem[] = []
  // an explicit stack: a value may nest deeper than the call stack allows
  const open: { path: string; value: JsonValue }[] = [{ path: '', value }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value: current } = next
    if (typeof current === 'string') {
      if (isMask(current)) problems.push({ path, keyword: 'mask', ...NOT_A_VALUE })
    } else if (typeof current === 'object' && current !== null)
      for (const [key, item] of Object.entries(current))
        open.push({ path: path + pointerTo(key), value: item })
  }
  return problems.toReversed()
}

const NOT_A_VALUE: Pick<Problem, 'message' | 'parameters'> = {
  message: `Must be the value itself, not a mask such as ${MASK}`,
  parameters: { reason: 'valueMask', mask: MASK },
}
