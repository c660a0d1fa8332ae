import type { Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { Conflict, Side } from '#contract/json-schema/merge-json.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { changesNothing, isHidden, sameView } from '../../../forms/property/property-value.ts'
import type { Touch, Touches } from '../../../subjects/merge/changes-since.ts'
import { mergeValues } from '../../../subjects/merge/merge-values.ts'
import type { Edits, FormField, FormResource } from '../../../subjects/operation-form/property-form.ts'

/** An entered value whose property others have saved since, with the value before and theirs. */
export interface MovedField {
  field: FormField
  /** The title of its resource. */
  resource: string
  base: PropertyView | null
  theirs: PropertyView | null
  edit: Edit
  isSensitive: boolean
  by: Touch | null
  /** What both changed differently; without any, both changes are kept. */
  conflicts: readonly Conflict[]
}

type Values = Pick<Configuration, 'resources'>

/**
 * The entered values whose property has another saved value than when they were begun
 * (docs/console.md#two-people-change-one-value). A hidden value counts as changed if the history says so, or is not known.
 */
export function movedFields(
  resources: readonly FormResource[],
  edits: Edits,
  { base: before, theirs: now, touches }: { base: Values; theirs: Values; touches: Touches },
): MovedField[] {
  return resources.flatMap((resource) =>
    resource.fields.flatMap((field): MovedField[] => {
      const edit = edits.get(field.id)
      if (edit === undefined) return []
      const [base, theirs] = [viewIn(before, field), viewIn(now, field)]
      const by = touches?.get(field.locator)?.get(field.property) ?? null
      const isMoved = !sameView(base, theirs) || (isHidden(theirs) && (by !== null || touches === null))
      if (!isMoved) return []
      const isSensitive = field.definition.isSensitive === true
      const isSame = changesNothing(edit, theirs)
      const conflicts = isSame ? [] : mergeValues({ base, theirs, edit }).conflicts
      return [{ field, resource: resource.title, base, theirs, edit, isSensitive, by, conflicts }]
    }),
  )
}

/** What is chosen for each conflict of each field, by its path. */
export type FieldPicks = ReadonlyMap<FieldId, ReadonlyMap<string, Side>>

export const isDecided = ({ field, conflicts }: MovedField, picks: FieldPicks): boolean =>
  conflicts.every(({ path }) => picks.get(field.id)?.has(path) === true)

/** The edit on top of theirs; null: theirs stays as it is. Every conflict must be decided. */
export function editOnTheirs({ field, base, theirs, edit }: MovedField, picks: FieldPicks): Edit | null {
  const { edit: merged } = changesNothing(edit, theirs)
    ? { edit: null }
    : mergeValues({ base, theirs, edit }, ({ path }) => picks.get(field.id)?.get(path) ?? 'mine')
  return merged === null || changesNothing(merged, theirs) ? null : merged
}

const viewIn = ({ resources }: Values, { locator, property }: FormField): PropertyView | null =>
  getOwn(getOwn(resources, locator)?.properties ?? {}, property) ?? null
