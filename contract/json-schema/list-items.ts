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

/**
 * Names the items of several versions of a list, so that the same item has the same name in each of them. The first
 * list is the one that the others started from.
 */
export function nameItems(lists: readonly (readonly JsonValue[])[]): {
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
  return { names: [own, ...others.map((list) => namesBeside(base, list))], keyOf: () => null }
}

function tellsApart(key: string, list: readonly JsonValue[]): boolean {
  const values = list.map((item) => (isJsonObject(item) && Object.hasOwn(item, key) ? item[key] : undefined))
  return (
    values.every((value) => typeof value === 'string' || typeof value === 'number') &&
    new Set(values.map(String)).size === list.length
  )
}

/** The positions of the items in `base` as names, where they are equal or stand in place of one that is gone. */
function namesBeside(base: readonly JsonValue[], list: readonly JsonValue[]): string[] {
  const [texts, own] = [base.map(canonicalText), list.map(canonicalText)]
  const found = equalItems(texts, own)
  pairReplaced(base, list, found)
  const times = new Map<string, number>()
  return found.map((position, index) => {
    if (position !== undefined) return String(position)
    const text = own[index] ?? ''
    const time = times.get(text) ?? 0
    times.set(text, time + 1)
    return `+${time} ${text}`
  })
}

/** For each item its position in `base`. Equal beginnings and ends first, so that of equal items none seems moved. */
function equalItems(base: readonly string[], list: readonly string[]): (number | undefined)[] {
  const found = list.map((): number | undefined => undefined)
  const shorter = Math.min(base.length, list.length)
  let start = 0
  for (; start < shorter && base[start] === list[start]; start++) found[start] = start
  let end = 0
  for (; end < shorter - start && base.at(-1 - end) === list.at(-1 - end); end++)
    found[list.length - 1 - end] = base.length - 1 - end
  const free = new Map<string, number[]>()
  for (let position = base.length - end - 1; position >= start; position--)
    addTo(free, base[position] ?? '', position)
  for (let index = start; index < list.length - end; index++)
    found[index] = free.get(list[index] ?? '')?.pop()
  return found
}

/** With more pairs, items are not compared for what they have in common: they are removed and added. */
const PAIRS_MAX = 100_000

/** Pairs the items that replace others: as many after the same item, or those that are alike. */
function pairReplaced(
  base: readonly JsonValue[],
  list: readonly JsonValue[],
  found: (number | undefined)[],
): void {
  const taken = new Set(found)
  const gone = runs(base.map((_, position) => (taken.has(position) ? position : undefined)))
  for (const [after, fresh] of runs(found)) {
    const replaced = gone.get(after) ?? []
    const isSameCount = replaced.length === fresh.length
    if (!isSameCount && replaced.length * fresh.length > PAIRS_MAX) continue
    let next = 0
    for (const position of replaced) {
      const at = fresh.findIndex(
        (index, place) => place >= next && (isSameCount || areAlike(base[position], list[index])),
      )
      const index = fresh[at]
      if (index === undefined) continue
      found[index] = position
      next = at + 1
    }
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
function areAlike(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const [fewer, more] = Object.keys(one).length <= Object.keys(other).length ? [one, other] : [other, one]
  const names = Object.keys(fewer)
  const equal = names.filter((name) => canonicalText(fewer[name]) === canonicalText(more[name]))
  return equal.length * 2 >= names.length
}

/** Equal for equal values, whatever the order of their members. */
export const canonicalText = (value: JsonValue | undefined): string =>
  JSON.stringify(value, (_, inner: JsonValue) => (isJsonObject(inner) ? sorted(inner) : inner)) ?? ''

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
