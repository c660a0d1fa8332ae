import type {
  Configuration,
  ConfigurationResource,
  Person,
  PropertyView,
  Snapshot,
} from '#contract/console-api/shapes.ts'
import type { Edit } from '../../../forms/property/edit.ts'
import {
  allEdits,
  isSamePlace,
  viewAt,
  type Draft,
  type DraftEdit,
  type DraftStep,
  type PlacedEdit,
  type PropertyPlace,
} from './draft.ts'
import { changesNothing, isHidden, isSet, sameView } from '../../../forms/property/property-value.ts'

/**
 * The three-way merge of one person's edits with what others saved meanwhile, property by property. Each edit carries the
 * view that it began from (base); the configuration as it stands is theirs; the edit is mine. An edit moves to the new
 * snapshot by itself only where theirs is still base. Everything else waits for a choice, so that no edit of mine is
 * lost, and no value of theirs undone, without one.
 */
export type Verdict =
  /** They left it alone: mine stands on top. */
  | { kind: 'kept' }
  /** They made it what I made it: nothing is left to do. */
  | { kind: 'same' }
  /** They made it something else. */
  | { kind: 'conflict'; by: Touch | null }
  /** It cannot be edited any more. */
  | { kind: 'gone'; why: 'resource' | 'property' | 'plugin' }

export type Merged = PlacedEdit & { theirs: PropertyView | null; verdict: Verdict }

/** The last snapshot that changed a property: who, when, why. */
export interface Touch {
  snapshotVersion: number
  savedAt: string
  savedBy: Person
  reason: string | null
  cause: Snapshot['cause']
  operationId: string | null
}

/** What was touched since a snapshot, by locator and property; null while that is not known. */
export type Touches = ReadonlyMap<string, ReadonlyMap<string, Touch>> | null

/** Snapshots, in whatever order, as the last touch of each property after `since`. */
export function touchesOf(snapshots: readonly Snapshot[], since: number): Exclude<Touches, null> {
  const touches = new Map<string, Map<string, Touch>>()
  for (const { changes, ...snapshot } of snapshots) {
    if (snapshot.snapshotVersion <= since) continue
    for (const { locator, property } of changes) {
      const ofResource = touches.get(locator) ?? new Map<string, Touch>()
      touches.set(locator, ofResource)
      const known = ofResource.get(property)
      if (known === undefined || known.snapshotVersion < snapshot.snapshotVersion)
        ofResource.set(property, snapshot)
    }
  }
  return touches
}

/** Judges every edit that stands on an older snapshot than the configuration. */
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
}): Verdict {
  if (resource === undefined) return { kind: 'gone', why: 'resource' }
  if (Object.hasOwn(resource.writtenBy, mine.property)) return { kind: 'gone', why: 'plugin' }
  if (changesNothing(mine.edit, theirs)) return { kind: 'same' }
  const isDefined = Object.hasOwn(resource.definitions, mine.property)
  if (!isDefined && mine.edit.kind !== 'removed') return { kind: 'gone', why: 'property' }
  // a hidden value looks the same after it was replaced: only the history knows
  const changed = !sameView(mine.base, theirs) || (isHidden(theirs) && (by !== null || !isKnown))
  return changed ? { kind: 'conflict', by } : { kind: 'kept' }
}

/** What a person decided on one property, about the value of theirs that was shown then. */
export type Choice = { of: Merged } & (
  | { take: 'theirs' }
  | { take: 'mine' }
  /** A third value. */
  | { take: 'other'; edit: Edit }
)

/** True while the choice is about what stands there now; another save in between makes it void. */
export const isCurrentChoice = (choice: Choice, now: Merged): boolean =>
  choice.of.verdict.kind === now.verdict.kind &&
  sameView(choice.of.theirs, now.theirs) &&
  touchOf(choice.of)?.snapshotVersion === touchOf(now)?.snapshotVersion

const touchOf = ({ verdict }: Merged): Touch | null => (verdict.kind === 'conflict' ? verdict.by : null)

/** Whether an edit still waits for a choice before it can stand on the new snapshot. */
export function needsChoice(merged: Merged, choice: Choice | undefined): boolean {
  if (merged.verdict.kind === 'kept' || merged.verdict.kind === 'same') return false
  if (choice === undefined || !isCurrentChoice(choice, merged)) return true
  // of what is gone only letting go is left
  return merged.verdict.kind === 'gone' && choice.take !== 'theirs'
}

/** Moves to the new snapshot what may move; what waits for a choice stays where it is. */
export function rebase(
  merged: readonly Merged[],
  choiceOf: (merged: Merged) => Choice | undefined,
  version: number,
): DraftStep {
  return merged.flatMap((one) => {
    const { locator, property, edit, isSensitive, theirs, verdict } = one
    const onTop = (mine: Edit): DraftEdit => ({ edit: mine, base: theirs, version, isSensitive })
    if (verdict.kind === 'same') return [{ locator, property, next: null }]
    if (verdict.kind === 'kept') return [{ locator, property, next: onTop(edit) }]
    const choice = choiceOf(one)
    if (choice === undefined || needsChoice(one, choice)) return []
    if (choice.take === 'theirs') return [{ locator, property, next: null }]
    const chosen = choice.take === 'mine' ? edit : choice.edit
    return [{ locator, property, next: changesNothing(chosen, theirs) ? null : onTop(chosen) }]
  })
}

/**
 * True when the draft moves to the new snapshot without asking: all of my edits are saved already, or what was saved since
 * lies outside of every resource that I edit. What is being typed may only pass through their value, so it stays mine.
 */
export function movesAutomatically(
  merged: readonly Merged[],
  touches: Touches,
  typedIn: readonly PropertyPlace[],
): boolean {
  const isSaved = ({ verdict }: Merged) => verdict.kind === 'same'
  if (merged.some((one) => isSaved(one) && typedIn.some((place) => isSamePlace(one, place)))) return false
  return merged.every(isSaved) || touchesNoneOf(merged, touches)
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
