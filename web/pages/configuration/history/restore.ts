import type { Configuration, PropertyChange, PropertyView, Snapshot } from '#contract/console-api/shapes.ts'
import { changesNothing, isHidden, isSet, sameView, valueOf } from '../../../forms/property/property-value.ts'
import { viewAt, type DraftStep, type PropertyPlace } from '../editor/draft.ts'
import { definitionOf } from '../editor/outline.ts'

/** Why a value stays as it is. `changedSince`: somebody changed it again after the save that is undone. */
export type Left = 'gone' | 'plugin' | 'sensitive' | 'same' | 'changedSince'

export interface Restoring {
  /** The edits that restore the values. */
  step: DraftStep
  left: readonly (PropertyPlace & { why: Left })[]
}

type Wanted = PropertyPlace & { value: PropertyView | null }

/**
 * Restores earlier values as edits of the current configuration, which are reviewed like any others. In a resource that an
 * operation has locked they wait in the draft.
 */
export function restore(wanted: readonly Wanted[], configuration: Configuration): Restoring {
  const step: DraftStep[number][] = []
  const left: (PropertyPlace & { why: Left })[] = []
  for (const { locator, property, value: older } of wanted) {
    const why = reasonToLeave({ locator, property, value: older }, configuration)
    if (why !== null) {
      left.push({ locator, property, why })
      continue
    }
    const view = viewAt(configuration.resources[locator], property)
    const value = valueOf(older)
    const edit = value === null ? ({ kind: 'removed' } as const) : ({ kind: 'set', value } as const)
    const next = { edit, base: view, version: configuration.snapshotVersion, isSensitive: false }
    if (changesNothing(edit, view)) left.push({ locator, property, why: 'same' })
    else step.push({ locator, property, next })
  }
  return { step, left }
}

/** Undoes a save: what it changed and nobody has changed since returns to the value before. */
export function undo({ changes }: Snapshot, configuration: Configuration): Restoring {
  const isStanding = ({ locator, property, after }: PropertyChange): boolean =>
    isHidden(after) || sameView(viewAt(configuration.resources[locator], property), after)
  const { step, left } = restore(
    changes.filter(isStanding).map(({ before, ...place }) => ({ ...place, value: before })),
    configuration,
  )
  const changed = changes
    .filter((change) => !isStanding(change))
    .map(({ locator, property }) => ({ locator, property, why: 'changedSince' as const }))
  return { step, left: [...left, ...changed] }
}

function reasonToLeave({ locator, property, value }: Wanted, configuration: Configuration): Left | null {
  const resource = configuration.resources[locator]
  const definition = definitionOf(resource, property)
  if (resource === undefined || definition === undefined) return 'gone'
  if (Object.hasOwn(resource.writtenBy, property)) return 'plugin'
  if (definition.isSensitive === true || isHidden(value)) return 'sensitive'
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
