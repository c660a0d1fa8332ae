import type { Changes, ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { changesNothing, sameView } from '../../../forms/property/property-value.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

/** The base of an edit: the value that the person saw, and its snapshot. */
export interface Base {
  base: PropertyView | null
  version: number
}

/** An edit of a property, and its base. */
export interface DraftEdit extends Base {
  edit: Edit
  /** Kept only in the memory of this page. */
  isSensitive: boolean
}

/** The edits of a person by locator and property. A property without an edit has no key. */
export type Draft = Readonly<Record<string, Readonly<Record<string, DraftEdit>>>>

export type PlacedEdit = PropertyPlace & DraftEdit

/** Edits to set (or, with null, to remove) in one step. */
export type DraftStep = readonly (PropertyPlace & { next: DraftEdit | null })[]

export const EMPTY: Draft = {}

export function editAt(draft: Draft, locator: string, property: string): DraftEdit | undefined {
  const ofResource = Object.hasOwn(draft, locator) ? draft[locator] : undefined
  return ofResource !== undefined && Object.hasOwn(ofResource, property) ? ofResource[property] : undefined
}

/**
 * The edit for the content of a field; null if the content equals the base and the base is still the saved value. If
 * someone has saved another value, the base itself is a value that the person has to choose.
 */
export function editOn(
  { base, version }: Base,
  edit: Edit,
  { saved, isSensitive }: { saved: PropertyView | null; isSensitive: boolean },
): DraftEdit | null {
  if (changesNothing(edit, base) && sameView(base, saved)) return null
  return { edit, base, version, isSensitive }
}

export const isSamePlace = (one: PropertyPlace, other: PropertyPlace): boolean =>
  one.locator === other.locator && one.property === other.property

export function applyStep(draft: Draft, step: DraftStep): Draft {
  const next = { ...draft }
  for (const { locator, property, next: edit } of step) {
    const edits = { ...next[locator] }
    if (edit === null) delete edits[property]
    else edits[property] = edit
    if (Object.keys(edits).length === 0) delete next[locator]
    else next[locator] = edits
  }
  return next
}

export function allEdits(draft: Draft): PlacedEdit[] {
  return Object.entries(draft).flatMap(([locator, edits]) =>
    Object.entries(edits).map(([property, edit]) => ({ locator, property, ...edit })),
  )
}

export const countEdits = (draft: Draft): number =>
  Object.values(draft).reduce((count, edits) => count + Object.keys(edits).length, 0)

/** The edits to send: those with a valid value. `only` limits them to some resources. */
export function draftChanges(draft: Draft, only: (locator: string) => boolean = () => true): Changes {
  const changes: Changes = {}
  for (const { locator, property, edit } of allEdits(draft)) {
    if (edit.kind === 'unfinished' || !only(locator)) continue
    const ofResource = (changes[locator] ??= {})
    ofResource[property] = edit.kind === 'set' ? edit.value : null
  }
  return changes
}

/** The oldest snapshot that an edit is based on; null without edits. */
export function oldestVersion(draft: Draft): number | null {
  const versions = allEdits(draft).map(({ version }) => version)
  return versions.length === 0 ? null : Math.min(...versions)
}

/** Whether every edit is based on this snapshot, or on a newer one that this page has not read yet. */
export const isBasedOn = (draft: Draft, version: number): boolean =>
  (oldestVersion(draft) ?? version) >= version

/** The current saved value of a property in a resource. */
export function viewAt(resource: ConfigurationResource | undefined, property: string): PropertyView | null {
  if (resource === undefined || !Object.hasOwn(resource.properties, property)) return null
  return resource.properties[property] ?? null
}
