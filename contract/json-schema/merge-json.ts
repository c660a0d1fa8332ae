import { deepEqual, getOwn, isJsonObject } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { nameItems, newComparison, pathOf, type Comparison, type Step } from './list-items.ts'

export type Side = 'base' | 'theirs' | 'mine'

/** Undefined: there is none. */
export type Sides = Readonly<Record<Side, JsonValue | undefined>>

/** A place that both changed differently; with `order` the three orders of the items of a list. */
export interface Conflict extends Sides {
  /** Unique in one merge. */
  path: string
  steps: readonly Step[]
  kind: 'value' | 'order'
}

export interface JsonMerge {
  value: JsonValue | undefined
  conflicts: Conflict[]
}

/**
 * Merges two changes of one value, leaf by leaf: objects by member, lists by item (docs/console.md#two-people-change-one-value).
 * `choose` decides on a conflict; by default mine wins. The order is theirs, with what is only mine behind its predecessor.
 *
 * @param comparison of the whole value, because it may have many lists; values that are merged together share one.
 */
export function mergeJson(
  sides: Sides,
  choose: (conflict: Conflict) => Side = () => 'mine',
  comparison = newMergeComparison(),
): JsonMerge {
  const conflicts: Conflict[] = []
  const { numberOf } = comparison
  const decide = (kind: Conflict['kind'], at: Sides, steps: readonly Step[]): Side => {
    const conflict = { ...at, kind, steps, path: pathOf(steps) }
    conflicts.push(conflict)
    return choose(conflict)
  }

  function mergeAt(at: Sides, steps: readonly Step[]): JsonValue | undefined {
    const { base, theirs, mine } = at
    const [ofBase, ofTheirs, ofMine] = [numberOf(base), numberOf(theirs), numberOf(mine)]
    if (ofBase === ofTheirs) return mine
    if (ofBase === ofMine || ofTheirs === ofMine) return theirs
    // what both have added is merged as if it had been empty before
    if (isJsonObject(theirs) && isJsonObject(mine) && (base === undefined || isJsonObject(base)))
      return mergeObjects({ base: base ?? {}, theirs, mine }, steps)
    if (Array.isArray(theirs) && Array.isArray(mine) && (base === undefined || Array.isArray(base)))
      return mergeLists({ base: base ?? [], theirs, mine }, steps)
    return at[decide('value', at, steps)]
  }

  function mergeObjects({ base, theirs, mine }: Readonly<Record<Side, JsonObject>>, steps: readonly Step[]) {
    const merged: [string, JsonValue][] = []
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])) {
      const at = { base: getOwn(base, name), theirs: getOwn(theirs, name), mine: getOwn(mine, name) }
      const value = mergeAt(at, [...steps, name])
      if (value !== undefined) merged.push([name, value])
    }
    return Object.fromEntries(merged)
  }

  function mergeLists({ base, theirs, mine }: Readonly<Record<Side, JsonValue[]>>, steps: readonly Step[]) {
    const { names, keyOf } = nameItems([base, theirs, mine], comparison)
    const [ofBase = [], ofTheirs = [], ofMine = []] = names
    const [inBase, inTheirs, inMine] = [indexOf(ofBase), indexOf(ofTheirs), indexOf(ofMine)]
    const itemAt = (name: string): Sides => ({
      base: itemOf(base, inBase.get(name)),
      theirs: itemOf(theirs, inTheirs.get(name)),
      mine: itemOf(mine, inMine.get(name)),
    })
    const stepTo = (name: string): Step => {
      const at = itemAt(name)
      const index = inMine.get(name) ?? inTheirs.get(name) ?? inBase.get(name) ?? 0
      return { name, position: index + 1, key: keyOf(at.mine ?? at.theirs ?? at.base) }
    }
    const merged = new Map<string, JsonValue>()
    for (const name of new Set([...ofBase, ...ofTheirs, ...ofMine])) {
      const value = mergeAt(itemAt(name), [...steps, stepTo(name)])
      if (value !== undefined) merged.set(name, value)
    }

    const isEverywhere = (name: string) => inBase.has(name) && inTheirs.has(name) && inMine.has(name)
    const orders = {
      base: ofBase.filter(isEverywhere),
      theirs: ofTheirs.filter(isEverywhere),
      mine: ofMine.filter(isEverywhere),
    }
    // of a list without keys, texts and numbers speak for themselves, and the rest by their position before
    const label = (name: string): JsonValue => {
      const item = itemAt(name).base
      return keyOf(item) ?? (typeof item === 'object' ? `#${Number(name) + 1}` : String(item))
    }
    const spine =
      mergeOrders(orders, comparison) ??
      orders[
        decide(
          'order',
          { base: orders.base.map(label), theirs: orders.theirs.map(label), mine: orders.mine.map(label) },
          steps,
        )
      ]
    const items = weave(spine, [ofTheirs, ofMine]).flatMap((name) => {
      const item = merged.get(name)
      return item === undefined ? [] : [item]
    })
    // one of them may have put in place of an item what the other one has added
    return [base, theirs, mine].every(isUnique) ? withoutRepetition(items) : items
  }

  const isUnique = (list: readonly JsonValue[]): boolean => new Set(list.map(numberOf)).size === list.length

  function withoutRepetition(list: readonly JsonValue[]): JsonValue[] {
    const known = new Set<number>()
    return list.filter((item) => known.size < known.add(numberOf(item)).size)
  }

  const value = mergeAt(sides, [])
  return { value, conflicts }
}

const indexOf = (names: readonly string[]): Map<string, number> =>
  new Map(names.map((name, index) => [name, index]))

const itemOf = (list: readonly JsonValue[], index: number | undefined): JsonValue | undefined =>
  index === undefined ? undefined : list[index]

/** Comparing them takes less than a second. */
const MERGED_PAIRS_MAX = 1_000_000

export const newMergeComparison = (): Comparison => newComparison(MERGED_PAIRS_MAX)

/**
 * The order that has every pair of items as one of them turned it, or as it was. Null if there is none, because the two
 * contradict each other.
 */
function mergeOrders(
  { base, theirs, mine }: Record<Side, readonly string[]>,
  comparison: Comparison,
): readonly string[] | null {
  if (deepEqual([...base], [...theirs])) return mine
  if (deepEqual([...base], [...mine]) || deepEqual([...theirs], [...mine])) return theirs
  const pairs = base.length ** 2 / 2
  if (pairs > comparison.pairs) return null
  comparison.pairs -= pairs
  const [inTheirs, inMine] = [indexOf(theirs), indexOf(mine)]
  const isTurned = (at: Map<string, number>, one: string, other: string) =>
    (at.get(one) ?? 0) > (at.get(other) ?? 0)
  // how many of the others an item precedes
  const before = new Map(base.map((name) => [name, 0]))
  for (const [index, one] of base.entries())
    for (const other of base.slice(index + 1)) {
      const first = isTurned(inTheirs, one, other) || isTurned(inMine, one, other) ? other : one
      before.set(first, (before.get(first) ?? 0) + 1)
    }
  const ordered = base.toSorted((one, other) => (before.get(other) ?? 0) - (before.get(one) ?? 0))
  const isWhole = ordered.every((name, index) => before.get(name) === base.length - 1 - index)
  return isWhole ? ordered : null
}

/**
 * Puts the other items of several lists behind the one of the spine that they follow. What ends a list was appended, so
 * it ends the result too.
 */
function weave(spine: readonly string[], lists: readonly (readonly string[])[]): string[] {
  const isOfSpine = new Set(spine)
  const placed = new Set(spine)
  const behind = new Map<string | null, string[]>()
  const appended: string[] = []
  for (const list of lists) {
    const last = list.findLastIndex((name) => isOfSpine.has(name))
    let previous: string | null = null
    for (const [index, name] of list.entries()) {
      if (isOfSpine.has(name)) previous = name
      if (placed.has(name)) continue
      placed.add(name)
      const row = index > last ? appended : (behind.get(previous) ?? [])
      row.push(name)
      if (row !== appended) behind.set(previous, row)
    }
  }
  const rest = spine.flatMap((name) => [name, ...(behind.get(name) ?? [])])
  return [...(behind.get(null) ?? []), ...rest, ...appended]
}
