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
  /** Instead of `action`, by locator. */
  actions?: Readonly<Record<string, ResourceAction>>
  schemaVersion?: string
  locators?: readonly string[]
  /** Instead of the Modules of the profile. */
  modules?: Profile['resources']
  /** Names of properties that are not set. */
  without?: readonly string[]
}

/**
 * The first Module of a profile under two other names: as another Module beside it, and, if its name has a letter, under
 * the same name in other letters. A plugin may read and write them as the first one.
 */
export function twinsOf({ resources }: Profile): { first: string; other: string; respelled: string | null } {
  const [first = ''] = Object.keys(resources)
  const at = first.lastIndexOf('/') + 1
  const name = first.slice(at)
  const swapped = name.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return {
    first,
    other: `${first.slice(0, at)}${name.slice(0, 120)}-twin`,
    respelled: swapped === name ? null : first.slice(0, at) + swapped,
  }
}

/** These Modules, each like the first of the profile. */
export const likeFirst = (profile: Profile, locators: readonly (string | null)[]): Profile['resources'] =>
  Object.fromEntries(
    locators.flatMap((locator) => {
      const module = profile.resources[twinsOf(profile).first]
      return locator === null || module === undefined ? [] : [[locator, module]]
    }),
  )

/** The profile with the twins beside its Modules: as an installation with more Modules than one call names. */
export function withTwins(profile: Profile): Profile {
  const { other, respelled } = twinsOf(profile)
  return { ...profile, resources: { ...likeFirst(profile, [other, respelled]), ...profile.resources } }
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

export function buildCall(given: Profile, installation: InstallationIdentity, options: CallOptions): Call {
  const profile = options.modules === undefined ? given : { ...given, resources: options.modules }
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
  const action = options.actions?.[locator] ?? options.action ?? options.type
  const { currentVersion, targetVersion, values = 'properties', replace = {}, without = [] } = options
  const business: JsonObject = { ...resource?.properties, ...resource?.[values], ...replace[locator] }
  return {
    action,
    currentVersion: action === 'INSTALL' ? null : currentVersion,
    targetVersion,
    properties: Object.fromEntries(
      Object.entries(business)
        .filter(([name]) => !without.includes(name))
        .map(([name, value]) => [
          name,
          resource?.sensitive.includes(name) === true ? wrapSensitive(value) : wrapData(value),
        ]),
    ),
    references: resource?.references ?? {},
  }
}
