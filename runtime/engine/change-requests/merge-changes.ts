import { getOwn } from '#contract/json-schema/json.ts'
import type { Comparison } from '#contract/json-schema/list-items.ts'
import { newMergeComparison, mergeJson } from '#contract/json-schema/merge-json.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { isSameValue } from '../changes/compare.ts'

/** A value that somebody else has changed where a request changes it too. */
export interface ChangeConflict {
  locator: string
  property: string
  base: TypedValue | null
  theirs: TypedValue | null
  mine: TypedValue | null
}

export interface MergedChanges {
  changes: Changes
  /** What the merged changes are based on: what is saved now, or where there is a conflict, what was saved before. */
  base: Changes
  conflicts: ChangeConflict[]
}

/**
 * Merges the changes of a request with what others have saved since, leaf by leaf (docs/console.md#two-people-change-one-value).
 *
 * @param isHidden whether people may not see the value: then a change by others is a conflict, also if it made the values
 *   equal, because anything else would tell anyone who wrote the request whether they are.
 */
export function mergeChanges(
  mine: Changes,
  base: Changes,
  theirs: Changes,
  isHidden: (locator: string, property: string) => boolean,
): MergedChanges {
  const merged: MergedChanges = { changes: {}, base: {}, conflicts: [] }
  const comparison = newMergeComparison()
  for (const [locator, properties] of Object.entries(mine)) {
    const [changes, bases]: Record<string, TypedValue | null>[] = [{}, {}]
    for (const [property, value] of Object.entries(properties)) {
      const was = getOwn(getOwn(base, locator) ?? {}, property) ?? null
      const is = getOwn(getOwn(theirs, locator) ?? {}, property) ?? null
      const next = mergeValue({ base: was, theirs: is, mine: value }, isHidden(locator, property), comparison)
      if (next === undefined) merged.conflicts.push({ locator, property, base: was, theirs: is, mine: value })
      changes![property] = next === undefined ? value : next
      bases![property] = next === undefined ? was : is
    }
    merged.changes[locator] = changes!
    merged.base[locator] = bases!
  }
  return merged
}

/** Undefined: both changed the same leaf differently. */
function mergeValue(
  { base, theirs, mine }: Record<'base' | 'theirs' | 'mine', TypedValue | null>,
  hidden: boolean,
  comparison: Comparison,
): TypedValue | null | undefined {
  if (isSameValue(base, theirs)) return mine
  if (hidden) return undefined
  if (isSameValue(mine, theirs)) return mine
  if (
    mine?.['@type'] !== 'Data' ||
    theirs?.['@type'] !== 'Data' ||
    (base !== null && base['@type'] !== 'Data')
  )
    return undefined
  const { value, conflicts } = mergeJson(
    { base: base?.value, theirs: theirs.value, mine: mine.value },
    undefined,
    comparison,
  )
  return conflicts.length > 0 ? undefined : value === undefined ? null : wrapData(value)
}
