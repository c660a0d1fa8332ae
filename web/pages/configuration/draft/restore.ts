import type { Configuration, PropertyChange, PropertyView, Snapshot } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { changesNothing, editTo, isHidden, isSet, sameView } from '../../../forms/property/property-value.ts'
import type { Left } from '../../../subjects/arrival/left.ts'
import type { Bound } from '../../../subjects/scopes/place-bound.ts'
import { editAt, viewAt, type Draft, type DraftStep } from './draft.ts'
import { definitionOf } from './outline.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

export interface Restoring {
  /** The edits that restore the values. */
  step: DraftStep
  /** Values that belong to another place: they wait until the person ticks them. */
  held: readonly (Wanted & { bound: Bound })[]
  left: readonly (PropertyPlace & { why: Left })[]
  /** The unsaved edits that the step replaces with another value, or removes because that value is saved. */
  replaced: readonly PropertyPlace[]
}

type Wanted = PropertyPlace & { value: PropertyView | null; bound?: Bound | null }

/**
 * Restores earlier values as edits of the current configuration, which are reviewed like any others. In a resource that an
 * operation has locked they wait in the draft. An edit over a value that is saved already is removed.
 */
export function restore(wanted: readonly Wanted[], configuration: Configuration, draft: Draft): Restoring {
  const step: DraftStep[number][] = []
  const replaced: PropertyPlace[] = []
  const left: (PropertyPlace & { why: Left })[] = []
  const held: (Wanted & { bound: Bound })[] = []
  for (const { locator, property, value: older, bound = null } of wanted) {
    const why = reasonToLeave({ locator, property, value: older }, configuration)
    if (why !== null) {
      left.push({ locator, property, why })
      continue
    }
    const view = viewAt(configuration.resources[locator], property)
    const edit = editTo(older)
    const next = { edit, base: view, version: configuration.snapshotVersion, isSensitive: false }
    const edited = editAt(draft, locator, property)
    const isSame = changesNothing(edit, view)
    if (isSame && edited === undefined) {
      left.push({ locator, property, why: 'same' })
      continue
    }
    if (bound !== null) {
      if (isSame) left.push({ locator, property, why: 'same' })
      else held.push({ locator, property, value: older, bound })
      continue
    }
    if (edited !== undefined && !deepEqual(edited.edit, edit)) replaced.push({ locator, property })
    step.push({ locator, property, next: isSame ? null : next })
  }
  return { step, held, left, replaced }
}

/** Undoes a save: what it changed and nobody has changed since returns to the value before. */
export function undo({ changes }: Snapshot, configuration: Configuration, draft: Draft): Restoring {
  const isStanding = ({ locator, property, after }: PropertyChange): boolean =>
    isHidden(after) || sameView(viewAt(configuration.resources[locator], property), after)
  const { step, held, left, replaced } = restore(
    changes.filter(isStanding).map(({ before, ...place }) => ({ ...place, value: before })),
    configuration,
    draft,
  )
  const changed = changes
    .filter((change) => !isStanding(change))
    .map(({ locator, property }) => ({ locator, property, why: 'changedSince' as const }))
  return { step, held, left: [...left, ...changed], replaced }
}

function reasonToLeave({ locator, property, value }: Wanted, configuration: Configuration): Left | null {
  const resource = configuration.resources[locator]
  const definition = definitionOf(resource, property)
  if (resource === undefined || definition === undefined) return 'gone'
  if (Object.hasOwn(resource.writtenBy, property)) return 'plugin'
  if (definition.isSensitive === true || isHidden(value)) return 'sensitive'
  if (definition.required === true && !isSet(value)) return 'required'
  return null
}

/** The properties that differ between two configurations; of sensitive values only whether they are set is known. */
export function differences(before: Configuration, after: Configuration): PropertyChange[] {
  const locators = [...new Set([...Object.keys(before.resources), ...Object.keys(after.resources)])]
  return locators.toSorted().flatMap((locator) => {
    const [one, other] = [before.resources[locator], after.resources[locator]]
    const names = [
      ...new Set([...Object.keys(one?.properties ?? {}), ...Object.keys(other?.properties ?? {})]),
    ]
    return names.toSorted().flatMap((property) => {
      const change = { before: viewAt(one, property), after: viewAt(other, property) }
      const isSame =
        isHidden(change.before) || isHidden(change.after)
          ? isSet(change.before) === isSet(change.after)
          : sameView(change.before, change.after)
      return isSame ? [] : [{ locator, property, ...change }]
    })
  })
}
