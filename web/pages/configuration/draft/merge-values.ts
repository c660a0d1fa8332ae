import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { valueOf } from '../../../forms/property/property-value.ts'

/**
 * Merges both changes of one value if they do not overlap: objects that were changed at different paths, references
 * with different keys. Null if they overlap; a list counts as one unit. The merged value is offered, never applied
 * automatically.
 */
export function mergeValues(
  base: PropertyView | null,
  theirs: PropertyView | null,
  mine: Edit,
): Extract<Edit, { kind: 'set' }> | null {
  const [from, other] = [valueOf(base), valueOf(theirs)]
  if (mine.kind !== 'set' || from === null || other === null) return null
  const { value } = mine
  if (from['@type'] === 'Data' && other['@type'] === 'Data' && value['@type'] === 'Data') {
    const merged = mergeJson(from.value, other.value, value.value)
    return merged === undefined ? null : { kind: 'set', value: { ...value, value: merged } }
  }
  if (
    from['@type'] === 'ServiceReferenceMap' &&
    other['@type'] === 'ServiceReferenceMap' &&
    value['@type'] === 'ServiceReferenceMap'
  ) {
    const merged = mergeJson(from.valueMap, other.valueMap, value.valueMap, 1)
    return merged === undefined
      ? null
      : { kind: 'set', value: { ...value, valueMap: merged as unknown as typeof value.valueMap } }
  }
  return null
}

/** Undefined if both changed the same thing differently. `depth` limits the recursion. */
export function mergeJson(
  base: JsonValue,
  theirs: JsonValue,
  mine: JsonValue,
  depth = 16,
): JsonValue | undefined {
  if (deepEqual(theirs, mine) || deepEqual(base, theirs)) return mine
  if (deepEqual(base, mine)) return theirs
  if (depth === 0 || !isJsonObject(base) || !isJsonObject(theirs) || !isJsonObject(mine)) return undefined
  const merged: [string, JsonValue][] = []
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])) {
    const sides = [at(base, key), at(theirs, key), at(mine, key)] as const
    const one = mergeSlot(sides, depth)
    if (one === CONFLICT) return undefined
    if (one !== undefined) merged.push([key, one])
  }
  return Object.fromEntries(merged)
}

const CONFLICT = Symbol('both changed it')
type Slot = JsonValue | undefined

function mergeSlot([base, theirs, mine]: readonly [Slot, Slot, Slot], depth: number): Slot | typeof CONFLICT {
  if (deepEqual(theirs, mine) || deepEqual(base, theirs)) return mine
  if (deepEqual(base, mine)) return theirs
  if (base === undefined || theirs === undefined || mine === undefined) return CONFLICT
  const merged = mergeJson(base, theirs, mine, depth - 1)
  return merged === undefined ? CONFLICT : merged
}

const at = (object: JsonObject, key: string): Slot => (Object.hasOwn(object, key) ? object[key] : undefined)
