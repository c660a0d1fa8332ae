import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { CHOICES, type Kind } from './bundle.ts'

/**
 * What a field shows, as data: the text of an input or of a JSON document, `on`, `off` or `unset` of a switch, the chosen
 * option, the items of a list, the entries of a map. A secret is `closed:set`, `closed:unset`, or `open:` followed by the typed
 * text; of several lines that are hidden, by `hidden 2/10`: their number, and that of the characters.
 */
export type Content = string | string[] | [string, string][]

/** A saved value; null where there is none. */
export type Value = TypedValue | null

/** The value of a property as the JSON document writes it: data is plain. */
export function writtenValue(written: JsonValue | undefined): Value {
  if (written === undefined) return null
  return isJsonObject(written) && '@type' in written ? (written as unknown as TypedValue) : wrapData(written)
}

export const sameContent = (one: Content, other: Content): boolean => deepEqual(one, other)
export const sameValue = (one: Value, other: Value): boolean => deepEqual(one, other)

/**
 * Whether a value is what the content of a field means: a text that was typed and cleared is an empty one, or none where
 * none was set before.
 */
export const isMeant = (typed: Value, saved: Value): boolean =>
  sameValue(typed, saved) || (saved === null && sameValue(typed, wrapData('')))

const NUMBER = /^-?\d+(\.\d+)?$/

/** The value of a content; undefined where it is incomplete or unknown. */
export function valueOf(kind: Kind, content: Content): Value | undefined {
  if (typeof content !== 'string') return structureOf(kind, content)
  switch (kind) {
    case 'text':
    case 'plugin':
      return wrapData(content)
    case 'number':
      if (content === '') return null
      return NUMBER.test(content) ? wrapData(Number(content)) : undefined
    case 'switch':
      return content === 'unset' ? null : wrapData(content === 'on')
    case 'choice':
      return content === '' ? null : wrapData(content)
    case 'reference':
      return content === '' ? null : { '@type': 'ServiceReference', serviceId: content }
    case 'secret':
      return content.startsWith('open:') ? wrapSensitive(content.slice('open:'.length)) : undefined
    case 'object':
      return content.trim() === '' ? null : parsed(content)
    default:
      return undefined
  }
}

function structureOf(kind: Kind, content: string[] | [string, string][]): Value | undefined {
  const reference = (serviceId: string) => ({ '@type': 'ServiceReference' as const, serviceId })
  if (kind === 'list') return wrapData(content.map(String))
  if (kind === 'reference-list')
    return { '@type': 'ServiceReferenceList', valueList: content.map((item) => reference(String(item))) }
  const entries = content.map((item): [string, ReturnType<typeof reference>] => [
    item[0] ?? '',
    reference(item[1] ?? ''),
  ])
  return { '@type': 'ServiceReferenceMap', valueMap: Object.fromEntries(entries) }
}

function parsed(text: string): Value | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return isJsonObject(value) ? wrapData(value) : undefined
  } catch {
    return undefined
  }
}

/** What a field without an edit shows for a saved value. */
export function contentOf(kind: Kind, value: Value): Content {
  if (kind === 'secret') return value === null ? 'closed:unset' : 'closed:set'
  if (value === null) {
    if (kind === 'switch') return 'unset'
    return kind === 'list' || kind === 'reference-list' || kind === 'reference-map' ? [] : ''
  }
  switch (value['@type']) {
    case 'ServiceReference':
      return value.serviceId
    case 'ServiceReferenceList':
      return value.valueList.map(({ serviceId }) => serviceId)
    case 'ServiceReferenceMap':
      return Object.entries(value.valueMap).map(([key, { serviceId }]): [string, string] => [key, serviceId])
    case 'Data':
      return dataContent(kind, value.value)
  }
}

function dataContent(kind: Kind, data: JsonValue): Content {
  if (kind === 'switch') return data === true ? 'on' : 'off'
  if (kind === 'list' && Array.isArray(data)) return data.map(String)
  if (kind === 'object') return JSON.stringify(data, null, 2)
  return String(data)
}

/** Whether two contents stand for the same value; numbers and documents may be formatted differently. */
export function meansSame(kind: Kind, one: Content, other: Content): boolean {
  if (sameContent(one, other)) return true
  if (kind === 'reference-map') return sameValue(valueOf(kind, one) ?? null, valueOf(kind, other) ?? null)
  if (kind === 'secret') return hiddenAs(one) === hiddenAs(other)
  if (kind !== 'number' && kind !== 'object') return false
  const [value, otherValue] = [valueOf(kind, one), valueOf(kind, other)]
  return value !== undefined && otherValue !== undefined && sameValue(value, otherValue)
}

/** A secret as its field shows it while it is hidden. */
function hiddenAs(content: Content): string {
  const text = String(content)
  if (!text.includes('\n')) return text
  const secret = text.slice('open:'.length)
  return `open:hidden ${secret.replace(/\n$/, '').split('\n').length}/${secret.length}`
}

/** A random value out of a few, so that two people often choose the same. */
export function anyValue(kind: Kind, random: SeededRandom, services: readonly string[]): Value {
  if (kind !== 'text' && kind !== 'secret' && random.chance(0.1)) return null
  const reference = () => ({ '@type': 'ServiceReference' as const, serviceId: random.pick(services) })
  const some = <Item>(make: (index: number) => Item): Item[] =>
    Array.from({ length: random.below(3) }, (_, index) => make(index))
  switch (kind) {
    case 'text':
    case 'plugin':
      return wrapData(
        random.pick([
          'base',
          'a',
          'ab',
          'abc',
          'b',
          '',
          'a\nb',
          'a\n',
          'a b',
          'a\u00a0b',
          'a\u200bb',
          ' a\tb ',
        ]),
      )
    case 'number':
      return wrapData(random.pick([443, 4431, 4432, 80, 8, 800, 0, 1.5]))
    case 'switch':
      return wrapData(random.chance(0.5))
    case 'choice':
      return wrapData(random.pick(CHOICES))
    case 'list':
      return wrapData(some(() => random.pick(['one', 'two', 'a', 'one\ntwo\n', 'one\u2028'])))
    case 'object':
      return wrapData(
        random.pick([
          { most: 12 },
          { inner: { a: 1, b: 1 }, most: 1 },
          { hosts: ['x', 'y'], inner: { a: 1, b: 2 }, least: 1, most: 12 },
          { hosts: [] },
          {},
        ]),
      )
    case 'secret':
      return wrapSensitive(random.pick(['secret one', 'secret two', 'secret\none\n']))
    case 'reference':
      return reference()
    case 'reference-list':
      return { '@type': 'ServiceReferenceList', valueList: some(reference) }
    case 'reference-map':
      return {
        '@type': 'ServiceReferenceMap',
        valueMap: Object.fromEntries(some((index) => [`k${index}`, reference()])),
      }
  }
}

/** Kinds whose values have parts that two people can change at once. */
export const hasParts = (kind: Kind): boolean =>
  kind === 'list' || kind === 'object' || kind === 'reference-list' || kind === 'reference-map'

/** A value that differs from another one in one part; null where there is no such value. */
export function changePart(
  kind: Kind,
  value: Value,
  random: SeededRandom,
  services: readonly string[],
): Value {
  const reference = () => ({ '@type': 'ServiceReference' as const, serviceId: random.pick(services) })
  switch (value?.['@type']) {
    case 'Data': {
      const { value: data } = value
      if (kind === 'list' && Array.isArray(data))
        return wrapData(changeItem(data, random, () => random.pick(['one', 'two', 'three', 'four', 'a'])))
      return kind === 'object' && isJsonObject(data) ? wrapData(changeMember(data, random)) : null
    }
    case 'ServiceReferenceList':
      return { ...value, valueList: changeItem(value.valueList, random, reference) }
    case 'ServiceReferenceMap': {
      const key = random.pick(['k0', 'k1', 'k2', 'k3'])
      const { [key]: before, ...others } = value.valueMap
      const isRemoved = before !== undefined && random.chance(0.3)
      return { ...value, valueMap: isRemoved ? others : { ...value.valueMap, [key]: reference() } }
    }
    default:
      return null
  }
}

function changeItem<Item>(items: readonly Item[], random: SeededRandom, fresh: () => Item): Item[] {
  const at = random.below(items.length + 1)
  const item = items[at]
  const chance = random.below(4)
  if (item === undefined || chance === 0) return items.toSpliced(at, 0, fresh())
  if (chance === 1) return items.with(at, fresh())
  const others = items.toSpliced(at, 1)
  return chance === 2 ? others : others.toSpliced(random.below(items.length), 0, item)
}

/** The page keeps the order of equal values that are saved one after the other, so all values have the same order. */
const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([one], [other]) => (one < other ? -1 : 1)))

function changeMember(object: JsonObject, random: SeededRandom): JsonObject {
  const name = random.pick(['most', 'least', 'inner', 'hosts'])
  const { [name]: before, ...others } = object
  if (before !== undefined && random.chance(0.2)) return others
  const fresh = () => random.pick(['x', 'y', 'z'])
  if (name === 'hosts')
    return sorted({ ...object, hosts: changeItem(Array.isArray(before) ? before : [], random, fresh) })
  if (name !== 'inner') return sorted({ ...object, [name]: random.below(50) })
  const inner = isJsonObject(before) ? before : {}
  return sorted({ ...object, inner: sorted({ ...inner, [random.pick(['a', 'b', 'c'])]: random.below(5) }) })
}
