import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'
import { changesNothing, editTo, isHidden, sameView } from '../../../forms/property/property-value.ts'
import { mergeValues } from '../../../subjects/merge/merge-values.ts'
import { editAt, type Draft } from './draft.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'

/** What a change request asks for, by locator and property; null removes a value. */
export type Asked = Readonly<Record<string, Readonly<Record<string, PropertyView | null>>>>

/** A property for which the person and somebody else have given the same request different values. */
export interface AskedConflict extends PropertyPlace {
  /** What the request asks for now; undefined if it does not change the property any more. */
  theirs: PropertyView | null | undefined
}

export interface MergedRequest {
  /** The edits to put into the draft; null takes an edit out of it. */
  edits: readonly (PropertyPlace & { edit: Edit | null })[]
  conflicts: readonly AskedConflict[]
}

const NOTHING: MergedRequest = { edits: [], conflicts: [] }

/**
 * Merges the draft of somebody who edits a change request with what somebody else has stored in it meanwhile, leaf by leaf
 * (docs/console.md#two-people-change-one-value). `base` is what the draft began with. In a conflict the draft keeps its edit.
 * Hidden values are not compared: the request keeps them.
 */
export function mergeRequest(base: Asked, theirs: Asked, draft: Draft): MergedRequest {
  const places = placesIn(base, theirs)
  // an empty draft has been stored or discarded
  if (places.every(({ locator, property }) => editAt(draft, locator, property) === undefined)) return NOTHING
  const edits: (PropertyPlace & { edit: Edit | null })[] = []
  const conflicts: AskedConflict[] = []
  for (const place of places) {
    const { locator, property } = place
    const [was, is] = [valueAt(base, place), valueAt(theirs, place)]
    if (isSame(was, is) || (is !== undefined && isHidden(is))) continue
    const mine = editAt(draft, locator, property)?.edit
    if (isAsked(mine, is)) continue
    if (isAsked(mine, was)) edits.push({ ...place, edit: is === undefined ? null : editTo(is) })
    else if (mine !== undefined && was !== undefined && is !== undefined) {
      const merged = mergeValues({ base: was, theirs: is, edit: mine })
      if (merged.conflicts.length > 0) conflicts.push({ ...place, theirs: is })
      else edits.push({ ...place, edit: merged.edit })
    } else conflicts.push({ ...place, theirs: is })
  }
  return { edits, conflicts }
}

function placesIn(...all: Asked[]): PropertyPlace[] {
  const found = new Map<string, PropertyPlace>()
  for (const asked of all)
    for (const [locator, properties] of Object.entries(asked))
      for (const property of Object.keys(properties))
        found.set(`${locator} ${property}`, { locator, property })
  return [...found.values()]
}

function valueAt(asked: Asked, { locator, property }: PropertyPlace): PropertyView | null | undefined {
  const ofResource = Object.hasOwn(asked, locator) ? asked[locator] : undefined
  return ofResource !== undefined && Object.hasOwn(ofResource, property) ? ofResource[property] : undefined
}

type Value = PropertyView | null | undefined

const isSame = (one: Value, other: Value): boolean =>
  one === undefined || other === undefined ? one === other : sameView(one, other)

/** Whether an edit is what a request asks for. The draft has no edit for a hidden value that is kept. */
const isAsked = (edit: Edit | undefined, asked: Value): boolean =>
  edit === undefined
    ? asked === undefined || isHidden(asked)
    : asked !== undefined && changesNothing(edit, asked)
