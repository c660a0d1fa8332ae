import { newCheckBudget } from '#contract/json-schema/check-work.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { wrapSensitive } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { BatchTargets } from '#contract/runtime-api/batches.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import type { PropertyRef } from '../../engine/changes/compare.ts'
import type { PlatformProblem, Problem } from '../../engine/refusals.ts'
import { definitionIn, entriesOf } from '../batches/show-batch.ts'
import { inputFor, inputOf } from '../batches/targets.ts'
import type { BatchInputParts, PlannedTarget } from '../batches/targets.ts'

// A request is read and edited by people who did not write it. So a value that somebody gave as a secret stays one, whatever
// the request is made to ask for later: its flag says so, and not only the definition of the property as of now.

type DefinitionOf = (locator: string, property: string) => PropertyDefinition | undefined

/** Flags the values that are secrets by `isSecret`. A flag is never removed. */
export function flagSecrets(
  changes: Changes,
  isSecret: (locator: string, property: string) => boolean,
): Changes {
  return mapChanges(changes, (value, locator, property) =>
    value?.['@type'] === 'Data' && isSecret(locator, property) ? wrapSensitive(value.value) : value,
  )
}

/** The secrets that the definitions of now would show. */
export function exposedSecrets(changes: Changes, definitionOf: DefinitionOf): PlatformProblem[] {
  return entriesOf(changes).flatMap(({ locator, property, value }) => {
    const definition = isSecret(value) ? definitionOf(locator, property) : undefined
    return definition !== undefined && definition.isSensitive !== true
      ? [{ locator, property, errorCode: 'REQUEST_INVALID', ...platformMessage('changeValueExposed') }]
      : []
  })
}

/**
 * What is wrong with the secrets that are not flagged: the request that gives them is refused. What is flagged was right then, and is not
 * checked again: others may change which version it is for, and would learn from what is wrong with a secret what it is.
 */
export function wrongSecrets(
  given: readonly Changes[],
  definitionOf: DefinitionOf,
  budget = newCheckBudget(),
): (Problem & PropertyRef)[] {
  return given.flatMap(entriesOf).flatMap(({ locator, property, value }) => {
    if (value?.['@type'] !== 'Data' || isSecret(value)) return []
    const definition = definitionOf(locator, property)
    if (definition?.isSensitive !== true) return []
    return checkTypedValue(definition, value, budget).map(({ message, parameters }) => ({
      locator,
      property,
      errorCode: 'PROPERTY_INVALID',
      message,
      parameters,
    }))
  })
}

/**
 * The same of a batch, whose targets may have different versions. What is wrong for many of them is said once.
 *
 * @param definitionOf Of all targets: for one of which nothing is known, because it has no plan.
 */
export function wrongInBatch(
  request: BatchTargets,
  planned: readonly PlannedTarget[],
  definitionOf: DefinitionOf,
) {
  const budget = newCheckBudget()
  const found = planned.flatMap((one) => {
    const given = changesIn(inputFor(inputOf(request), one.target))
    return wrongSecrets(
      given,
      (locator, property) => definitionIn(one, locator, property) ?? definitionOf(locator, property),
      budget,
    )
  })
  return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()]
}

/** What is flagged: not what is wrong, so that it is checked until somebody gives another value. */
export function isRightSecret(
  definitionOf: DefinitionOf,
  wrong: readonly PropertyRef[],
): (locator: string, property: string) => boolean {
  const isWrong = isAmong(wrong)
  return (locator, property) =>
    definitionOf(locator, property)?.isSensitive === true && !isWrong({ locator, property })
}

/** Of a property that its version is not known to have: its value may be a secret, and cannot be checked. */
const UNKNOWN: PropertyDefinition = { kind: 'DATA', schema: false, isSensitive: true }
export const orUnknown =
  (definitionOf: DefinitionOf) =>
  (locator: string, property: string): PropertyDefinition =>
    definitionOf(locator, property) ?? UNKNOWN

/** Whether some value that was just given, and not kept, is a secret. */
export function givesSecret(
  given: Readonly<Record<string, Readonly<Record<string, object | null>>>>,
  flagged: Changes,
): boolean {
  return Object.entries(given).some(([locator, properties]) =>
    Object.entries(properties).some(
      ([property, value]) =>
        value !== null &&
        'value' in value &&
        isSecret(getOwn(getOwn(flagged, locator) ?? {}, property) ?? null),
    ),
  )
}

/** What one target hides is hidden of all, because the value may be the same. */
export const sensitiveFirst = (definitions: readonly PropertyDefinition[]): PropertyDefinition | undefined =>
  definitions.find(({ isSensitive }) => isSensitive === true) ?? definitions[0]

/** The values of a batch: for every target, for those without one, and for single targets. */
export const changesInBatch = ({ input }: BatchTargets): Changes[] => {
  const parts = inputOf({ input })
  return [...changesIn(parts), ...Object.values(parts.values ?? {})]
}

const changesIn = ({ properties, fill, changes }: BatchInputParts): Changes[] =>
  [properties, fill, changes].filter((one) => one !== undefined)

/** A batch with other values: for every target, for those without one, and for single targets. */
export function mapBatch(request: BatchTargets, map: (given: Changes) => Changes): BatchTargets {
  const { properties, fill, changes, values } = inputOf(request)
  const mapped = {
    ...(properties && { properties: map(properties) }),
    ...(fill && { fill: map(fill) }),
    ...(changes && { changes: map(changes) }),
    ...(values && {
      values: Object.fromEntries(Object.entries(values).map(([target, given]) => [target, map(given)])),
    }),
  }
  // the same members as before, so the same kind of input
  return Object.keys(mapped).length === 0
    ? request
    : ({ ...request, input: { ...request.input, ...mapped } } as BatchTargets)
}

export function mapChanges<Value>(
  changes: Readonly<Record<string, Readonly<Record<string, Value>>>>,
  map: (value: Value, locator: string, property: string) => TypedValue | null,
): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([locator, properties]) => [
      locator,
      Object.fromEntries(
        Object.entries(properties).map(([property, value]) => [property, map(value, locator, property)]),
      ),
    ]),
  )
}

const isSecret = (value: TypedValue | null): boolean =>
  value?.['@type'] === 'Data' && value.isSensitive === true
