import type { PropertyView } from '#contract/console-api/shapes.ts'
import { mergeJson, type Conflict, type Side, type Sides } from '#contract/json-schema/merge-json.ts'
import { plainIn, plainOf } from '../../ui/value/plain-value.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { editTo, isHidden, typedAs, valueOf } from '../../forms/property/property-value.ts'

/** An edit of mine with the value that it started from and the one that they have saved. */
export interface Both {
  base: PropertyView | null
  theirs: PropertyView | null
  edit: Edit
}

/** The three values as JSON; undefined where one is hidden, not a value yet, or not set. */
export const plainSides = ({ base, theirs, edit }: Both): Sides => ({
  base: plainIn(base),
  theirs: plainIn(theirs),
  mine: edit.kind === 'set' ? plainOf(edit.value) : undefined,
})

/** The path of a conflict about a whole value. */
export const WHOLE = ''

/**
 * Merges both changes of one property, leaf by leaf. `choose` decides on a conflict; by default mine wins. A hidden value
 * and input that is not a value yet are one leaf. Without an `edit`, theirs stays as it is.
 */
export function mergeValues(
  { base, theirs, edit }: Both,
  choose: (conflict: Conflict) => Side = () => 'mine',
): { edit: Edit | null; conflicts: readonly Conflict[] } {
  const values = [valueOf(base), valueOf(theirs), edit.kind === 'set' ? edit.value : null]
  const [like, ...others] = values.filter((value) => value !== null)
  const sides = plainSides({ base, theirs, edit })
  if (
    like === undefined ||
    edit.kind === 'unfinished' ||
    (edit.kind === 'set' && 'isSensitive' in edit.value) ||
    isHidden(base) ||
    isHidden(theirs) ||
    others.some((value) => value['@type'] !== like['@type'])
  ) {
    const conflict: Conflict = { ...sides, path: WHOLE, steps: [], kind: 'value' }
    const taken = { base: editTo(base), theirs: null, mine: edit }[choose(conflict)]
    return { edit: taken, conflicts: [conflict] }
  }
  const { value, conflicts } = mergeJson(sides, choose)
  return {
    edit: value === undefined ? { kind: 'removed' } : { kind: 'set', value: typedAs(value, like) },
    conflicts,
  }
}
