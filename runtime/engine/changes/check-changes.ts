import type { CheckBudget } from '#contract/json-schema/check-work.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { isReference, referencedServices } from '#contract/protocol/data.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PlannedChange } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { ResourceFacts } from './full-changes.ts'
import type { Problem } from '../refusals.ts'

/**
 * Every place where a caller names the protected property, whatever its value
 * (docs/protocol.md#the-protected-property).
 */
export function protectedProblems(resources: Readonly<Record<string, object>>): Problem[] {
  return Object.entries(resources)
    .filter(([, properties]) => Object.hasOwn(properties, INSTANCE_REF_PROPERTY))
    .map(([locator]) => ({ locator, ...PROTECTED }))
}

/** The refusal for naming the protected property. It does not repeat the name. */
export const PROTECTED = {
  errorCode: 'PROPERTY_PROTECTED',
  ...platformMessage('propertyProtected'),
} as const

/** The services that the changes refer to. */
export function servicesOf(changes: readonly PlannedChange[]): string[] {
  return [...new Set(changes.flatMap(({ after }) => servicesIn(after)))]
}

const servicesIn = (value: TypedValue | null): string[] =>
  value !== null && isReference(value) ? referencedServices(value) : []

/** What changes are checked against. */
export interface KnownTargets {
  facts: ReadonlyMap<string, ResourceFacts>
  usableServices: ReadonlySet<string>
}

/**
 * Every change to a known resource that is not allowed: PROPERTY_INVALID, or REFERENCE_TARGET_UNAVAILABLE if the
 * service is not usable.
 *
 * @param budget of all values that the request gives.
 */
export function checkChanges(
  changes: readonly PlannedChange[],
  { facts, usableServices }: KnownTargets,
  budget: CheckBudget,
): Problem[] {
  return changes.flatMap((change) => {
    const resource = facts.get(change.locator)
    if (resource === undefined) return []
    return checkChange(change, resource, { usableServices, budget }).map((problem) => ({
      locator: change.locator,
      property: change.property,
      ...problem,
    }))
  })
}

type Found = Pick<Problem, 'path' | 'errorCode' | 'message' | 'parameters'>

function checkChange(
  { property, after }: PlannedChange,
  { definitions, writtenBy }: ResourceFacts,
  { usableServices, budget }: { usableServices: ReadonlySet<string>; budget: CheckBudget },
): Found[] {
  const definition = getOwn(definitions, property)
  const plugin = getOwn(writtenBy, property)
  if (plugin !== undefined) return [invalid(platformMessage('propertyOfPlugin', { plugin }))]
  // a leftover of an earlier version may be removed even though it is no longer defined
  if (after === null)
    return definition?.required === true ? [invalid(platformMessage('propertyRequired'))] : []
  if (definition === undefined) return [invalid(platformMessage('propertyUnknown'))]
  const misfits = checkGiven(definition, after, budget)
  return misfits.length > 0 ? misfits : checkServices(after, usableServices)
}

function checkGiven(definition: PropertyDefinition, value: TypedValue, budget: CheckBudget): Found[] {
  if (value['@type'] === 'Data' && value.isSensitive === true && definition.isSensitive !== true)
    return [invalid(platformMessage('propertyNotSensitive'))]
  return checkTypedValue(definition, value, budget).map(({ path, message, parameters }) => ({
    ...invalid({ message, parameters }),
    // a sensitive value may be a stored one, so not even its keys are revealed
    ...(definition.isSensitive !== true && { path }),
  }))
}

function checkServices(value: TypedValue, usable: ReadonlySet<string>): Found[] {
  return servicesIn(value)
    .filter((serviceId) => !usable.has(serviceId))
    .map((serviceId) => ({
      errorCode: 'REFERENCE_TARGET_UNAVAILABLE',
      ...platformMessage('serviceNotUsable', { service: serviceId }),
    }))
}

const invalid = (message: Pick<Found, 'message' | 'parameters'>): Found => ({
  errorCode: 'PROPERTY_INVALID',
  ...message,
})
