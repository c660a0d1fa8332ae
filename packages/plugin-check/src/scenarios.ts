import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { isJsonObject } from '../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../contract/json-schema/json.ts'
import { wrapData, wrapSensitive } from '../../../contract/protocol/data.ts'
import { ErrorCode } from '../../../contract/protocol/envelope.ts'
import { Key, mapOf, PropertyName, ResourceLocator, Values } from '../../../contract/protocol/keys.ts'
import type { LifecycleRequest, ResourceEntry } from '../../../contract/protocol/lifecycle.ts'
import { JsonSchema } from '../../../contract/protocol/property-definition.ts'
import { Reference } from '../../../contract/protocol/typed-value.ts'
import {
  OPERATION_TYPES,
  OUTCOMES,
  STAGES,
  type ResourceAction,
} from '../../../contract/protocol/vocabulary.ts'

const Write = z.strictObject({
  /** The bundle defines the property as sensitive. */
  isSensitive: z.boolean().default(false),
  /** The plugin issues the value itself, a different one for each installation. */
  isIssued: z.boolean().default(false),
  /** That of the property in the manifest. */
  schema: JsonSchema.optional(),
})

/** What a profile says of one Module. */
export const Resource = z.strictObject({
  /** Business values with which INSTALL succeeds, as the bundle would set them. */
  properties: Values.default({}),
  /** Other values with which CONFIGURE succeeds. */
  changed: Values.optional(),
  /** Values that the plugin must refuse. */
  invalid: Values.optional(),
  /** Which of the properties are sensitive. */
  sensitive: z.array(PropertyName).default([]),
  /** Which of the properties need not be set: a CONFIGURE without them succeeds. */
  optional: z.array(PropertyName).default([]),
  references: mapOf(PropertyName, Reference).default({}),
  /** Every property that the plugin may write. */
  writes: mapOf(PropertyName, Write).default({}),
})
type Resource = z.infer<typeof Resource>

/** What one stage leads to. Whatever is not named may be anything. */
const Expectation = z.strictObject({
  /** Default: one of those with which a call is done. */
  outcome: z.enum(OUTCOMES).optional(),
  /** The stage fails with this code. */
  errorCode: ErrorCode.optional(),
  /** Business values by locator and property. */
  writes: mapOf(ResourceLocator, Values).optional(),
  /** A part of the state: objects with at least these members, lists with at least these items. */
  state: z.json().optional(),
  /** What the state must not contain. */
  stateLacks: z.json().optional(),
})
type Expectation = z.infer<typeof Expectation>

const Step = z.strictObject({
  operation: z.enum(OPERATION_TYPES),
  targetVersion: Key.optional(),
  /** All Modules from this step on, as another version of the bundle has them; default: those of the step before. */
  resources: mapOf(ResourceLocator, Resource).optional(),
  /** Values that change in this step, by locator and property; null removes one. */
  values: mapOf(ResourceLocator, Values).optional(),
  expect: z
    .strictObject({ BEFORE_RESOURCES: Expectation.optional(), AFTER_RESOURCES: Expectation.optional() })
    .default({}),
})
type Step = z.infer<typeof Step>

/** Operations of one installation that the author of the plugin wrote down, with what each must lead to. */
export const Scenario = z.strictObject({
  name: z.string().min(1).max(200),
  steps: z.array(Step).min(1).max(100),
})
export type Scenario = z.infer<typeof Scenario>

type Modules = Readonly<Record<string, Resource>>
type Request = Pick<LifecycleRequest, 'executionSequence' | 'resources'> & {
  operation: Omit<LifecycleRequest['operation'], 'operationId'>
}

/** One stage of a scenario: what is sent, and what it must lead to. */
export interface ScenarioCall {
  /** For a message: the scenario, the number of the step and the stage. */
  name: string
  /** The same for both stages of a step. */
  step: number
  stage: (typeof STAGES)[number]
  request: Request
  expected: Expectation
}

const FIRST_VERSION = '1.0.0'

/** The calls of a scenario, in order. */
export function scenarioCalls({ name, steps }: Scenario, first: Modules): ScenarioCall[] {
  let modules: Modules = {}
  let version: string | null = null
  return steps.flatMap((step, index) => {
    const isInstall = step.operation === 'INSTALL'
    const before = modules
    const next = withValues(step.resources ?? (isInstall ? first : modules), step)
    const targetVersion = step.targetVersion ?? nextVersion(step, version)
    const request: Request = {
      executionSequence: index + 1,
      operation: { operationType: step.operation, currentVersion: isInstall ? null : version, targetVersion },
      resources: entriesOf(step.operation, { before, next, version, targetVersion }),
    }
    modules = step.operation === 'DETACH' ? {} : next
    version = targetVersion
    return STAGES.map((stage) => ({
      name: `${name}, step ${index + 1} (${step.operation} ${stage})`,
      step: index,
      stage,
      request,
      expected: step.expect[stage] ?? {},
    }))
  })
}

/** An UPGRADE has a version of its own; every other operation keeps that of the installation. */
function nextVersion({ operation }: Step, version: string | null): string {
  if (version === null || operation !== 'UPGRADE') return version ?? FIRST_VERSION
  return `${version}-next`
}

function withValues(modules: Modules, { values = {} }: Step): Modules {
  return Object.fromEntries(
    Object.entries(modules).map(([locator, resource]) => {
      const properties = { ...resource.properties, ...values[locator] }
      for (const [property, value] of Object.entries(values[locator] ?? {}))
        if (value === null) delete properties[property]
      return [locator, { ...resource, properties }]
    }),
  )
}

function entriesOf(
  operation: Step['operation'],
  {
    before,
    next,
    version,
    targetVersion,
  }: { before: Modules; next: Modules; version: string | null; targetVersion: string },
): Record<string, ResourceEntry> {
  const locators = [...new Set([...Object.keys(before), ...Object.keys(next)])]
  return Object.fromEntries(
    locators.map((locator) => {
      const action: ResourceAction =
        before[locator] === undefined ? 'INSTALL' : next[locator] === undefined ? 'DETACH' : operation
      const { properties = {}, references = {}, sensitive = [] } = next[locator] ?? before[locator] ?? {}
      return [
        locator,
        {
          action,
          currentVersion: action === 'INSTALL' ? null : version,
          targetVersion,
          properties: Object.fromEntries(
            Object.entries(properties).map(([property, value]) => [
              property,
              sensitive.includes(property) ? wrapSensitive(value) : wrapData(value),
            ]),
          ),
          references,
        },
      ]
    }),
  )
}

/** Why the response and the state are not what was expected; null if they are. */
export function unexpected(
  { expected }: ScenarioCall,
  found: { outcome: string | null; errorCode: string | null; writes: JsonObject; state: unknown },
): string | null {
  const { outcome, errorCode, writes = {}, state, stateLacks } = expected
  if (errorCode !== undefined && found.errorCode !== errorCode)
    return `it ended with ${found.errorCode ?? `outcome ${found.outcome}`} instead of ${errorCode}`
  if (outcome !== undefined && found.outcome !== outcome)
    return `the outcome is ${found.outcome ?? `the failure ${found.errorCode}`} instead of ${outcome}`
  for (const [locator, values] of Object.entries(writes))
    for (const [property, value] of Object.entries(values)) {
      const written = found.writes[locator]
      const data = isJsonObject(written ?? null) ? (written as JsonObject)[property] : undefined
      if (!isJsonObject(data ?? null) || !isDeepStrictEqual((data as JsonObject)['value'], value))
        return `${property} of ${locator} is not written as expected`
    }
  if (state !== undefined && !contains(found.state, state))
    return 'the state does not contain what is expected'
  if (stateLacks !== undefined && contains(found.state, stateLacks))
    return 'the state contains what it must not contain'
  return null
}

function contains(found: unknown, expected: JsonValue): boolean {
  if (Array.isArray(expected))
    return Array.isArray(found) && expected.every((item) => found.some((one) => contains(one, item)))
  if (!isJsonObject(expected)) return isDeepStrictEqual(found, expected)
  return (
    typeof found === 'object' &&
    found !== null &&
    Object.entries(expected).every(
      ([name, value]) => Object.hasOwn(found, name) && contains((found as JsonObject)[name], value),
    )
  )
}
