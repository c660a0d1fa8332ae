import type { Changes, PropertyChange, PropertyView } from '#contract/runtime-api/common.ts'
import type { BatchInput, BatchRequest } from '#contract/runtime-api/batches.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { schemaTitle } from '#contract/json-schema/subschemas.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { isAmong, refKey } from '../../engine/changes/compare.ts'
import { canonicalText } from '../plans/plan-token.ts'
import { inputOf, isSetBy } from './targets.ts'
import type { BatchInputParts, PlannedTarget } from './targets.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

/** What a batch does, for display. */
export interface ShownBatch {
  input: BatchInput
  /** What a target gets, with the values that it replaces. */
  valuesOf(target: PlannedTarget): PropertyChange[]
}

/** How many values of each target are kept, and how many characters of each. The input has all of them. */
const VALUES_MAX = 50
const TEXT_MAX = 500

/**
 * What a batch does, for display: sensitive values are hidden by the definitions of the targets. An own value is also
 * hidden if the definition of one of its targets is not known: another target may have a version that does not hide it. What is
 * hidden of the batch is hidden of each target, because the value may be the same.
 */
export function showBatch(
  request: Pick<BatchRequest, 'input'>,
  planned: readonly PlannedTarget[],
): ShownBatch {
  const { input, hidden } = shownInput(inputOf(request), planned)
  return {
    input,
    valuesOf: ({ target, changes }) =>
      changes
        .filter(isSetBy(request, target))
        .slice(0, VALUES_MAX)
        .map((change) => {
          const show = (view: PropertyView | null) => (hidden.has(refKey(change)) ? hide(view) : view)
          return shortened({ ...change, before: show(change.before), after: show(change.after) })
        }),
  }
}

/** Whether the stored input of a batch hides the value of a property. */
export const hiddenIn = ({ properties }: BatchInput) =>
  isAmong(properties.filter(({ after }) => after !== null && 'isSensitive' in after))

/** A value for display whose property is sensitive. */
export const hide = (view: PropertyView | null): PropertyView | null =>
  view?.['@type'] === 'Data' ? { '@type': 'Data', isSensitive: true, isSet: true } : view

/** A change for display in a list: with the beginnings of long values. */
export const shortened = (change: PropertyChange): PropertyChange => ({
  ...change,
  before: cut(change.before),
  after: cut(change.after),
})

function cut(view: PropertyView | null): PropertyView | null {
  if (view?.['@type'] !== 'Data' || !('value' in view)) return view
  const text = typeof view.value === 'string' ? view.value : JSON.stringify(view.value)
  return text.length <= TEXT_MAX ? view : { '@type': 'Data', value: `${text.slice(0, TEXT_MAX)}…` }
}

function shownInput(
  { bundle, targetVersion, properties = {}, fill = {}, changes = {}, values = {} }: BatchInputParts,
  planned: readonly PlannedTarget[],
): { input: BatchInput; hidden: ReadonlySet<string> } {
  const hidden = new Set<string>()
  const definitionOf = (locator: string, property: string) => {
    const found = planned.flatMap((one) => definitionIn(one, locator, property) ?? [])
    return found.find(({ isSensitive }) => isSensitive === true) ?? found[0]
  }
  const viewOf = (definition: PropertyDefinition | undefined, value: TypedValue | null) =>
    // nothing is known about it, so it is treated as sensitive
    value === null ? null : propertyView(definition ?? UNKNOWN, value)
  const titled = (locator: string, property: string) => {
    const title = schemaTitle(definitionOf(locator, property)?.schema)
    return { locator, property, ...(title !== undefined && { title }) }
  }
  const shown = (locator: string, property: string, definition: PropertyDefinition | undefined) => {
    if ((definition ?? UNKNOWN).isSensitive === true) hidden.add(refKey({ locator, property }))
    return titled(locator, property)
  }
  const valuesIn = (given: Changes) =>
    entriesOf(given).map(({ locator, property, value }) => {
      const definition = definitionOf(locator, property)
      return { ...shown(locator, property, definition), after: viewOf(definition, value) }
    })
  const byTarget = new Map(planned.map((one) => [one.target, one]))
  const own = Map.groupBy(
    Object.entries(values).flatMap(([target, given]) =>
      entriesOf(given).map((entry) => ({ ...entry, planned: byTarget.get(target) })),
    ),
    refKey,
  )
  const ownValues = [...own.values()].map((all) => {
    const { locator, property } = all[0]!
    const isKnown = all.every((one) => one.planned && definitionIn(one.planned, locator, property))
    const definition = isKnown ? definitionOf(locator, property) : undefined
    // as they are shown, because nobody may see whether hidden values are equal
    const views = all.map(({ value }) => viewOf(definition, value))
    const differs = new Set(views.map(canonicalText)).size > 1
    return {
      ...shown(locator, property, definition),
      after: differs ? null : (views[0] ?? null),
      targets: all.length,
      ...(differs && { differs: true as const }),
    }
  })
  const input: BatchInput = {
    ...(bundle !== undefined && { bundle }),
    targetVersion: targetVersion ?? null,
    properties: [
      ...valuesIn(properties),
      ...valuesIn(changes),
      ...ownValues,
      ...valuesIn(fill).map((one) => ({ ...one, fills: true })),
    ],
  }
  return { input, hidden }
}

/** The definition of a property in the plan of a target. */
export function definitionIn(
  { plan }: PlannedTarget,
  locator: string,
  property: string,
): PropertyDefinition | undefined {
  const definitions = resourceAt(plan?.resources ?? [], locator)?.definitions
  return definitions && getOwn(definitions, property)
}

const UNKNOWN: PropertyDefinition = { kind: 'DATA', schema: true, isSensitive: true }

/** The values of changes, one by one. */
export const entriesOf = (given: Changes) =>
  Object.entries(given).flatMap(([locator, set]) =>
    Object.entries(set).map(([property, value]) => ({ locator, property, value })),
  )
