import { wrapData, wrapSensitive } from '../../../../contract/protocol/data.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { LifecycleRequest, ResourceEntry } from '../../../../contract/protocol/lifecycle.ts'
import type { InstallationIdentity } from '../../../../contract/protocol/scope.ts'
import type { OperationType, ResourceAction, Stage } from '../../../../contract/protocol/vocabulary.ts'
import type { Profile } from '../profile.ts'

/** One lifecycle call, ready to send. `bytes` are what every attempt sends. */
export interface Call {
  request: LifecycleRequest
  bytes: Buffer
}

export interface CallOptions {
  type: OperationType
  stage: Stage
  operationId: string
  sequence: number
  /** Which values of the profile are sent; default `properties`. */
  values?: 'properties' | 'changed' | 'invalid'
  /** Replaces values of properties, by locator and name. */
  replace?: Readonly<Record<string, JsonObject>>
  currentVersion?: string | null
  targetVersion?: string
  action?: ResourceAction
  schemaVersion?: string
  locators?: readonly string[]
}

/** Values for `replace`: of each Module, those of these names and values. */
export const replaceIn = (
  { resources }: Profile,
  valuesOf: (resource: Profile['resources'][string]) => readonly (readonly [name: string, value: string])[],
): Record<string, Record<string, string>> =>
  Object.fromEntries(
    Object.entries(resources).map(([locator, resource]) => [locator, Object.fromEntries(valuesOf(resource))]),
  )

export const INSTALLED_VERSION = '1.0.0'
const UPGRADED_VERSION = '1.1.0'

export function buildCall(profile: Profile, installation: InstallationIdentity, options: CallOptions): Call {
  const { type, stage, operationId, sequence } = options
  const currentVersion =
    options.currentVersion === undefined
      ? type === 'INSTALL'
        ? null
        : INSTALLED_VERSION
      : options.currentVersion
  const targetVersion = options.targetVersion ?? (type === 'UPGRADE' ? UPGRADED_VERSION : INSTALLED_VERSION)
  const locators = options.locators ?? Object.keys(profile.resources)
  const { schemaVersion, values } = profile.configuration
  return callOf({
    contractVersion: '6.0.0',
    pluginId: profile.pluginId,
    executionSequence: sequence,
    installation,
    operation: { operationId, operationType: type, currentVersion, targetVersion },
    stage,
    configuration: { schemaVersion: options.schemaVersion ?? schemaVersion, values },
    resources: Object.fromEntries(
      locators.map((locator) => [
        locator,
        entryOf(profile, locator, { ...options, currentVersion, targetVersion }),
      ]),
    ),
  })
}

export const callOf = (request: LifecycleRequest): Call => ({
  request,
  bytes: Buffer.from(JSON.stringify(request)),
})

function entryOf(
  profile: Profile,
  locator: string,
  options: CallOptions & { currentVersion: string | null; targetVersion: string },
): ResourceEntry {
  const resource = profile.resources[locator]
  const { type, action = type, currentVersion, targetVersion, values = 'properties', replace = {} } = options
  const business: JsonObject = { ...resource?.properties, ...resource?.[values], ...replace[locator] }
  return {
    action,
    currentVersion: action === 'INSTALL' ? null : currentVersion,
    targetVersion,
    properties: Object.fromEntries(
      Object.entries(business).map(([name, value]) => [
        name,
        resource?.sensitive.includes(name) === true ? wrapSensitive(value) : wrapData(value),
      ]),
    ),
    references: resource?.references ?? {},
  }
}
