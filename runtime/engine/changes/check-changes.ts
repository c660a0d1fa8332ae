import type { CheckBudget } from '#contract/json-schema/check-work.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { isReference, referencedServices } from '#contract/protocol/data.ts'
import { needsSchema } from '#contract/protocol/property-kinds.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PlannedChange } from '../../model/plan.ts'
import { getOwn, isJsonObject } from '#contract/json-schema/json.ts'
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
  /** Whether the value of a change was checked in an earlier request; by default none was. */
  wasAccepted?: (change: PlannedChange) => boolean
}

/** Of a change request, `isStored`, the secrets were accepted before: they are flagged then. */
export const acceptedIn = ({ isStored = false }: { isStored?: boolean | undefined }) => ({
  wasAccepted: ({ after }: PlannedChange): boolean =>
    isStored && after?.['@type'] === 'Data' && after.isSensitive === true,
})

/**
 * Every change to a known resource that is not allowed: PROPERTY_INVALID, or REFERENCE_TARGET_UNAVAILABLE if the
 * service is not usable.
 *
 * @param budget of all values that the request gives.
 */
export function checkChanges(
  changes: readonly PlannedChange[],
  { facts, usableServices, wasAccepted = () => false }: KnownTargets,
  budget: CheckBudget,
): Problem[] {
  return changes.flatMap((change) => {
    const resource = facts.get(change.locator)
    if (resource === undefined) return []
    const known = { usableServices, budget, wasAccepted: wasAccepted(change) }
    return checkChange(change, resource, known).map((problem) => ({
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
  {
    usableServices,
    budget,
    wasAccepted,
  }: { usableServices: ReadonlySet<string>; budget: CheckBudget; wasAccepted: boolean },
): Found[] {
  const definition = getOwn(definitions, property)
  const plugin = getOwn(writtenBy, property)
  if (plugin !== undefined) return [invalid(platformMessage('propertyOfPlugin', { plugin }))]
  // a leftover of an earlier version may be removed even though it is no longer defined
  if (after === null)
    return definition?.required === true ? [invalid(platformMessage('propertyRequired'))] : []
  if (definition === undefined) return [invalid(platformMessage('propertyUnknown'))]
  const misfits = checkGiven(wasAccepted ? withoutQuestions(definition) : definition, after, budget)
  return misfits.length > 0 ? misfits : checkServices(after, usableServices)
}

/**
 * The definition with which a value is checked again. Its author writes the schemas of a version: of a hidden value, each keyword would be
 * a question about it, and a plan the answer. Only its type is asked for.
 */
function withoutQuestions(definition: PropertyDefinition): PropertyDefinition {
  if (definition.isSensitive !== true || !needsSchema(definition.kind)) return definition
  const type = isJsonObject(definition.schema) ? definition.schema['type'] : undefined
  return { ...definition, schema: type === undefined ? true : { type } }
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
