import type { Configuration, ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { Conflict, Side } from '#contract/json-schema/merge-json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import {
  allEdits,
  isSamePlace,
  viewAt,
  type Draft,
  type DraftEdit,
  type DraftStep,
  type PlacedEdit,
} from './draft.ts'
import { touchesOf, type Touch, type Touches } from '../../../subjects/merge/changes-since.ts'
import { mergeValues, WHOLE } from '../../../subjects/merge/merge-values.ts'
import { changesNothing, isHidden, isSet, sameView } from '../../../forms/property/property-value.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

/**
 * The three-way merge of one person's edits with what others have saved (docs/console.md#two-people-change-one-value). Each
 * edit carries the value that it started from (base); the current configuration is theirs; the edit is mine. An edit moves
 * to the new snapshot automatically only if theirs still equals base. A leaf that both changed needs a choice, so that
 * without one, no edit of mine is lost and no value of theirs is undone.
 */
export type MergeVerdict =
  /** They left it unchanged: mine applies on top. */
  | { kind: 'kept' }
  /** They saved the same value: nothing is left to do. */
  | { kind: 'same' }
  /** It equals its base again, so it is not an edit: theirs stays. */
  | { kind: 'undone' }
  /** They changed it at other places: the edit has both changes. */
  | { kind: 'merged'; by: Touch | null; edit: Edit }
  /** They changed the same leaves differently. */
  | { kind: 'conflict'; by: Touch | null; conflicts: readonly Conflict[] }
  /** It can no longer be edited. */
  | { kind: 'gone'; why: 'resource' | 'property' | 'plugin' }

export type Merged = PlacedEdit & { theirs: PropertyView | null; verdict: MergeVerdict }

export { touchesOf, type Touch, type Touches }

/** Compares every edit that is based on an older snapshot with the configuration. */
export function mergeDraft(draft: Draft, configuration: Configuration, touches: Touches): Merged[] {
  return allEdits(draft)
    .filter(({ version }) => version < configuration.snapshotVersion)
    .map((mine) => {
      const resource = ownResource(configuration, mine.locator)
      const touch = touches?.get(mine.locator)?.get(mine.property) ?? null
      const by = touch !== null && touch.snapshotVersion > mine.version ? touch : null
      const theirs = viewAt(resource, mine.property)
      return { ...mine, theirs, verdict: judge({ mine, theirs, resource, by, isKnown: touches !== null }) }
    })
}

function judge({
  mine,
  theirs,
  resource,
  by,
  isKnown,
}: {
  mine: PlacedEdit
  theirs: PropertyView | null
  resource: ConfigurationResource | undefined
  by: Touch | null
  isKnown: boolean
}): MergeVerdict {
  if (changesNothing(mine.edit, mine.base) && !sameView(mine.base, theirs)) return { kind: 'undone' }
  if (resource === undefined) return { kind: 'gone', why: 'resource' }
  if (Object.hasOwn(resource.writtenBy, mine.property)) return { kind: 'gone', why: 'plugin' }
  if (changesNothing(mine.edit, theirs)) return { kind: 'same' }
  const isDefined = Object.hasOwn(resource.definitions, mine.property)
  if (!isDefined && mine.edit.kind !== 'removed') return { kind: 'gone', why: 'property' }
  // a hidden value looks the same after a change: only the history reveals it
  const changed = !sameView(mine.base, theirs) || (isHidden(theirs) && (by !== null || !isKnown))
  if (!changed) return { kind: 'kept' }
  const { edit, conflicts } = mergeValues({ ...mine, theirs })
  if (conflicts.length > 0 || edit === null) return { kind: 'conflict', by, conflicts }
  return changesNothing(edit, theirs) ? { kind: 'same' } : { kind: 'merged', by, edit }
}

/** A person's choice for one property, made for the value of theirs that was displayed. */
export type SideChoice = { of: Merged } & (
  | { take: 'sides'; sides: Picks }
  /** A third value. */
  | { take: 'other'; edit: Edit }
)

/** What is taken for each conflict, by its path. */
export type Picks = ReadonlyMap<string, Side>

/** The paths to decide on: the leaves in conflict, or the whole of an edit that is not possible any more. */
export function openPaths({ verdict }: Merged): readonly string[] {
  if (verdict.kind === 'gone') return [WHOLE]
  return verdict.kind === 'conflict' ? verdict.conflicts.map(({ path }) => path) : []
}

/** Takes one side for some of the conflicts of a property, and what was chosen before for the others. */
export function chooseSide(
  merged: Merged,
  side: Side,
  paths: readonly string[],
  before?: SideChoice,
): SideChoice {
  const known = before?.take === 'sides' && isCurrentChoice(before, merged) ? before.sides : []
  return {
    of: merged,
    take: 'sides',
    sides: new Map([...known, ...paths.map((path) => [path, side] as const)]),
  }
}

/** True while the choice applies to the current values; another save in between invalidates it. */
export const isCurrentChoice = (choice: SideChoice, now: Merged): boolean =>
  choice.of.verdict.kind === now.verdict.kind &&
  sameView(choice.of.theirs, now.theirs) &&
  touchOf(choice.of)?.snapshotVersion === touchOf(now)?.snapshotVersion

const touchOf = ({ verdict }: Merged): Touch | null => (verdict.kind === 'conflict' ? verdict.by : null)

/** How many conflicts of a property the choice leaves open; none: its edit can move to the new snapshot. */
export function countOpen(merged: Merged, choice: SideChoice | undefined): number {
  const paths = openPaths(merged)
  if (choice === undefined || !isCurrentChoice(choice, merged)) return paths.length
  // an edit of something that no longer exists can only be discarded
  if (merged.verdict.kind === 'gone')
    return choice.take === 'sides' && choice.sides.get(WHOLE) === 'theirs' ? 0 : 1
  return choice.take === 'other' ? 0 : paths.filter((path) => !choice.sides.has(path)).length
}

/** The edit that a choice makes, of what is not chosen yet with mine; null: theirs stays as it is. */
export function chosenEdit(merged: Merged, choice: SideChoice | undefined): Edit | null {
  if (choice?.take === 'other') return choice.edit
  return mergeValues(merged, ({ path }) => choice?.sides.get(path) ?? 'mine').edit
}

/** Moves to the new snapshot all edits that may move; those that need a choice are not touched. */
export function rebase(
  merged: readonly Merged[],
  choiceOf: (merged: Merged) => SideChoice | undefined,
  version: number,
): DraftStep {
  return merged.flatMap((one) => {
    const { locator, property, edit, isSensitive, theirs, verdict } = one
    const onTop = (mine: Edit): DraftEdit => ({ edit: mine, base: theirs, version, isSensitive })
    if (verdict.kind === 'same' || verdict.kind === 'undone') return [{ locator, property, next: null }]
    if (verdict.kind === 'kept') return [{ locator, property, next: onTop(edit) }]
    if (verdict.kind === 'merged') return [{ locator, property, next: onTop(verdict.edit) }]
    const choice = choiceOf(one)
    if (choice === undefined || countOpen(one, choice) > 0) return []
    const chosen = verdict.kind === 'gone' ? null : chosenEdit(one, choice)
    const isTheirs = chosen === null || changesNothing(chosen, theirs)
    return [{ locator, property, next: isTheirs ? null : onTop(chosen) }]
  })
}

/**
 * True if the draft moves to the new snapshot without a choice: all edits are saved already or undone, or what was
 * saved since is outside every edited resource. Input in progress may equal a value only in passing, so it stays an edit.
 */
export function movesAutomatically(
  merged: readonly Merged[],
  touches: Touches,
  typedIn: readonly PropertyPlace[],
): boolean {
  const hasEnded = ({ verdict }: Merged) => verdict.kind === 'same' || verdict.kind === 'undone'
  if (merged.some((one) => hasEnded(one) && typedIn.some((place) => isSamePlace(one, place)))) return false
  return merged.every(hasEnded) || touchesNoneOf(merged, touches)
}

function touchesNoneOf(merged: readonly Merged[], touches: Touches): boolean {
  if (touches === null) return false
  return merged.every((one) => {
    const ofResource = touches.get(one.locator)
    const isTouched = [...(ofResource?.values() ?? [])].some((touch) => touch.snapshotVersion > one.version)
    return !isTouched && one.verdict.kind === 'kept' && isSet(one.base) === isSet(one.theirs)
  })
}

function ownResource(configuration: Configuration, locator: string): ConfigurationResource | undefined {
  return Object.hasOwn(configuration.resources, locator) ? configuration.resources[locator] : undefined
}
