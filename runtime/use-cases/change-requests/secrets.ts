import { getOwn } from '#contract/json-schema/json.ts'
import { wrapSensitive } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { BatchTargets } from '#contract/runtime-api/batches.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { PlanProblem } from '#contract/runtime-api/plans.ts'
import { refuseFor } from '../../engine/refusals.ts'
import type { PlatformProblem } from '../../engine/refusals.ts'
import { inputOf } from '../batches/targets.ts'

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
  return Object.entries(changes).flatMap(([locator, properties]) =>
    Object.entries(properties).flatMap(([property, value]) => {
      const definition = definitionOf(locator, property)
      return isSecret(value) && definition !== undefined && definition.isSensitive !== true
        ? [{ locator, property, errorCode: 'REQUEST_INVALID', ...platformMessage('changeValueExposed') }]
        : []
    }),
  )
}

/**
 * Refuses secrets that do not match the schemas of their properties, in the request that gives them. Later they are not checked again: others
 * may change which version they are for, and would learn from what is wrong with a secret what it is.
 */
export function refuseWrongSecrets(problems: readonly PlanProblem[], stored: readonly Changes[]): void {
  refuseFor(
    problems
      .filter(
        ({ locator = '', property = '', parameters }) =>
          String(parameters?.['reason']).startsWith('value') &&
          stored.some((changes) => isSecret(getOwn(getOwn(changes, locator) ?? {}, property) ?? null)),
      )
      .map((problem) => ({ ...problem, errorCode: 'PROPERTY_INVALID' })),
  )
}

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
  const { properties, fill, changes, values } = inputOf({ input })
  return [properties, fill, changes, ...Object.values(values ?? {})].filter((one) => one !== undefined)
}

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
