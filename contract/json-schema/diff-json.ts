import { getOwn, isJsonObject } from './json.ts'
import type { JsonValue } from './json.ts'
import { nameItems, newComparison, type Comparison, type Step } from './list-items.ts'

/** A leaf that differs, or a member or an item that one side does not have. */
export type LeafChange = { steps: readonly Step[] } & (
  | { kind: 'changed' | 'added' | 'removed'; before: JsonValue | undefined; after: JsonValue | undefined }
  /** An item at another place among the others; its positions, from 1. */
  | { kind: 'moved'; from: number; to: number; item: JsonValue | undefined }
)

/** What differs between two values, leaf by leaf; items are recognized as in a merge (docs/console.md#two-people-change-one-value). */
export function diffJson(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  steps: readonly Step[] = [],
  comparison = newComparison(),
): LeafChange[] {
  if (comparison.numberOf(before) === comparison.numberOf(after)) return []
  if (isJsonObject(before) && isJsonObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      diffJson(getOwn(before, name), getOwn(after, name), [...steps, name], comparison),
    )
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, steps, comparison)
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  return [{ steps, kind, before, after }]
}

function diffLists(
  before: JsonValue[],
  after: JsonValue[],
  steps: readonly Step[],
  comparison: Comparison,
): LeafChange[] {
  const { names, keyOf } = nameItems([before, after], comparison)
  const [ofBefore = [], ofAfter = []] = names
  const positions = new Map(ofBefore.map((name, index) => [name, index]))
  const later = new Set(ofAfter)
  const stepTo = (name: string, index: number, item: JsonValue | undefined): Step => ({
    name,
    position: index + 1,
    key: keyOf(item),
  })
  const removed = ofBefore.flatMap((name, index) =>
    later.has(name) ? [] : diffJson(before[index], undefined, [...steps, stepTo(name, index, before[index])]),
  )
  const stayed = longestRise(ofAfter.flatMap((name) => positions.get(name) ?? []))
  const others = ofAfter.flatMap((name, index): LeafChange[] => {
    const position = positions.get(name)
    const inside = [...steps, stepTo(name, index, after[index])]
    if (position === undefined) return diffJson(undefined, after[index], inside)
    const moved: LeafChange[] = stayed.has(position)
      ? []
      : [{ steps: inside, kind: 'moved', from: position + 1, to: index + 1, item: after[index] }]
    return [...moved, ...diffJson(before[position], after[index], inside, comparison)]
  })
  return [...removed, ...others]
}

/** The most numbers that rise as they are: the items that have not moved. */
function longestRise(numbers: readonly number[]): Set<number> {
  /** The smallest end of a rise, by its length. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const number of numbers) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    previous.set(number, ends[low - 1])
    ends[low] = number
  }
  const rise = new Set<number>()
  for (let number = ends.at(-1); number !== undefined; number = previous.get(number)) rise.add(number)
  return rise
}
