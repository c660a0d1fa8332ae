import { isJsonObject, pointerTo } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** One step into a value: the name of a member, or an item of a list. */
export type Step = string | ItemStep

export interface ItemStep {
  /** Unique in its list, on every side. */
  name: string
  /** Its position, from 1, on the side that a person sees. */
  position: number
  /** The value of the member that tells the items apart; null if there is none. */
  key: string | null
}

/** Steps like a JSON pointer, with the names of items instead of their positions. */
export const pathOf = (steps: readonly Step[]): string =>
  pointerTo(...steps.map((step) => (typeof step === 'string' ? step : step.name)))

/** Members that tell items apart, in the order in which they are tried. */
const KEYS = ['id', 'key', 'code', 'name'] as const

/** What is known of the values that are compared, and what comparing them may still cost. */
export interface Comparison {
  /**
   * How many pairs of items may still be compared, those with many members counted several times: beyond that, items are removed and
   * added, and orders are one leaf.
   */
  pairs: number
  /** The same number for equal values, whatever the order of their members. Each part is read once, and not again at each level. */
  numberOf(value: JsonValue | undefined): number
}

/** Of two values that are compared alone. */
const PAIRS_MAX = 100_000

export function newComparison(pairs = PAIRS_MAX): Comparison {
  const ofValues = new Map<JsonValue | undefined, number>()
  const ofTexts = new Map<string, number>()
  let last = 0
  const numberIn = <Key>(known: Map<Key, number>, key: Key): number => {
    const number = known.get(key) ?? ++last
    known.set(key, number)
    return number
  }
  const numberOf = (value: JsonValue | undefined): number => {
    if (typeof value !== 'object' || value === null) return numberIn(ofValues, value)
    const known = ofValues.get(value)
    if (known !== undefined) return known
    const text = Array.isArray(value)
      ? `[${value.map(numberOf).join()}]`
      : Object.keys(value)
          .toSorted()
          .map((name) => `${JSON.stringify(name)}:${numberOf(value[name])}`)
          .join()
    const number = numberIn(ofTexts, text)
    ofValues.set(value, number)
    return number
  }
  return { pairs, numberOf }
}

/**
 * Names the items of several versions of a list, so that the same item has the same name in each of them. The first
 * list is the one that the others started from.
 */
export function nameItems(
  lists: readonly (readonly JsonValue[])[],
  comparison = newComparison(),
): {
  names: string[][]
  keyOf: (item: JsonValue | undefined) => string | null
} {
  const key = KEYS.find((name) => lists.every((list) => tellsApart(name, list)))
  if (key !== undefined) {
    const keyOf = (item: JsonValue | undefined) => (isJsonObject(item) ? String(item[key]) : null)
    return { names: lists.map((list) => list.map((item) => `${key}=${keyOf(item)}`)), keyOf }
  }
  const [base = [], ...others] = lists
  const own = base.map((_, position) => String(position))
  return { names: [own, ...others.map((list) => namesBeside(base, list, comparison))], keyOf: () => null }
}

function tellsApart(key: string, list: readonly JsonValue[]): boolean {
  const values = list.map((item) => (isJsonObject(item) && Object.hasOwn(item, key) ? item[key] : undefined))
  return (
    values.every((value) => typeof value === 'string' || typeof value === 'number') &&
    new Set(values.map(String)).size === list.length
  )
}

/** The positions of the items in `base` as names, where they are equal or stand in place of one that is gone. */
function namesBeside(
  base: readonly JsonValue[],
  list: readonly JsonValue[],
  comparison: Comparison,
): string[] {
  const own = list.map(comparison.numberOf)
  const found = equalItems(base.map(comparison.numberOf), own)
  pairReplaced({ base, list, found }, comparison)
  const times = new Map<number | undefined, number>()
  return found.map((position, index) => {
    if (position !== undefined) return String(position)
    const time = times.get(own[index]) ?? 0
    times.set(own[index], time + 1)
    return `+${time} ${canonicalText(list[index])}`
  })
}

/** For each item its position in `base`. Equal beginnings and ends first, so that of equal items none seems moved. */
function equalItems(base: readonly number[], list: readonly number[]): (number | undefined)[] {
  const found = list.map((): number | undefined => undefined)
  const shorter = Math.min(base.length, list.length)
  let start = 0
  for (; start < shorter && base[start] === list[start]; start++) found[start] = start
  let end = 0
  for (; end < shorter - start && base.at(-1 - end) === list.at(-1 - end); end++)
    found[list.length - 1 - end] = base.length - 1 - end
  const free = new Map<number | undefined, number[]>()
  for (let position = base.length - end - 1; position >= start; position--)
    addTo(free, base[position], position)
  for (let index = start; index < list.length - end; index++) found[index] = free.get(list[index])?.pop()
  return found
}

const MEMBERS_FOR_ONE = 10

const membersOf = (item: JsonValue | undefined): number => (isJsonObject(item) ? Object.keys(item).length : 0)

/** Pairs the items that replace others: as many after the same item, or those that are alike. */
function pairReplaced(
  {
    base,
    list,
    found,
  }: { base: readonly JsonValue[]; list: readonly JsonValue[]; found: (number | undefined)[] },
  comparison: Comparison,
): void {
  const numbersOf = memberNumbers(comparison)
  const taken = new Set(found)
  const gone = runs(base.map((_, position) => (taken.has(position) ? position : undefined)))
  for (const [after, fresh] of runs(found)) {
    const replaced = gone.get(after) ?? []
    if (replaced.length === fresh.length) {
      for (const [place, index] of fresh.entries()) found[index] = replaced[place]
      continue
    }
    const members = replaced.reduce((sum, position) => sum + membersOf(base[position]), 0)
    const pairs = Math.ceil(replaced.length + members / MEMBERS_FOR_ONE) * fresh.length
    if (pairs > comparison.pairs) continue
    comparison.pairs -= pairs
    let next = 0
    for (const position of replaced) {
      let at = next
      while (at < fresh.length && !areAlike(base[position], list[fresh[at] ?? 0], numbersOf)) at++
      const index = fresh[at]
      if (index === undefined) continue
      found[index] = position
      next = at + 1
    }
  }
}

type Numbers = ReadonlyMap<string, number>

/** The members of objects by their numbers, each made once: an object is compared with many others. */
function memberNumbers({ numberOf }: Comparison): (object: JsonObject) => Numbers {
  const known = new Map<JsonObject, Numbers>()
  return (object) => {
    const numbers =
      known.get(object) ?? new Map(Object.entries(object).map(([name, value]) => [name, numberOf(value)]))
    known.set(object, numbers)
    return numbers
  }
}

/** The indices without a name, in rows, by the name before the row; -1 at the start. */
function runs(names: readonly (number | undefined)[]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  let before = -1
  for (const [index, name] of names.entries()) {
    if (name === undefined) addTo(found, before, index)
    else before = name
  }
  return found
}

function addTo<Key>(lists: Map<Key, number[]>, key: Key, entry: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [entry])
  else list.push(entry)
}

/** Whether at least half of the members that one of two objects has are equal; the same from either side. */
function areAlike(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
  numbersOf: (object: JsonObject) => Numbers,
): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const [ofOne, ofOther] = [numbersOf(one), numbersOf(other)]
  const [fewer, more] = ofOne.size > ofOther.size ? [ofOther, ofOne] : [ofOne, ofOther]
  let equal = 0
  for (const [name, number] of fewer) if (more.get(name) === number) equal++
  return equal * 2 >= fewer.size
}

/** Equal for equal values, whatever the order of their members. */
export const canonicalText = (value: JsonValue | undefined): string =>
  (typeof value === 'object'
    ? JSON.stringify(value, (_, inner: JsonValue) => (isJsonObject(inner) ? sorted(inner) : inner))
    : // most items are plain, and without a replacer that is ten times as fast
      JSON.stringify(value)) ?? ''

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(object)
      .toSorted()
      .flatMap((name) => entry(object, name)),
  )

const entry = (object: JsonObject, name: string): [string, JsonValue][] => {
  const value = object[name]
  return value === undefined ? [] : [[name, value]]
}
