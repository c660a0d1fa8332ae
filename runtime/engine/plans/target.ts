import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { asDefined } from '../changes/compare.ts'
import type { ResourceFacts } from '../changes/full-changes.ts'
import type { Problem } from '../refusals.ts'
import type { PlannedChange, PlannedResource } from '../../model/plan.ts'
import { compileAuthorizations, modulesOf, writersOf } from '../calls/compile-authorization.ts'
import { resourceAt } from './configure-plan.ts'

/** A resource of the version that an INSTALL or UPGRADE installs. */
export type TargetResource = Pick<
  PlannedResource,
  'locator' | 'kind' | 'title' | 'moduleId' | 'definitions' | 'writtenBy'
>

export interface Target {
  version: string
  resources: TargetResource[]
  plugins: CompiledAuthorization[]
}

/** What a version installs. Refuses as `compileAuthorizations` does. */
export function targetOf(manifest: AuthorManifest): Target {
  const plugins = compileAuthorizations(manifest.plugins, modulesOf(manifest))
  const writers = writersOf(plugins)
  return {
    version: manifest.version,
    plugins,
    resources: manifest.resources.map(({ kind, name, title, moduleId, properties }) => {
      const locator = formatLocator({ ...manifest.bundle, kind, name })
      return {
        locator,
        kind,
        title,
        moduleId: moduleId ?? null,
        definitions: properties,
        writtenBy: writers[locator] ?? {},
      }
    }),
  }
}

/** The resources as the checks of changes need them, by locator. */
export function factsOf(resources: readonly TargetResource[]): Map<string, ResourceFacts> {
  return new Map(
    resources.map(({ locator, definitions, writtenBy }) => [locator, { definitions, writtenBy }]),
  )
}

/** A problem for each resource that is given values but is not in the version. */
export function unknownResources(given: Changes, resources: readonly TargetResource[]): Problem[] {
  return Object.keys(given)
    .filter((locator) => resourceAt(resources, locator) === undefined)
    .map((locator) => ({
      locator,
      errorCode: 'RESOURCE_OWNERSHIP_MISSING',
      ...platformMessage('resourceNotInVersion'),
    }))
}

/** The required properties without a value, except those that the runtime or a plugin sets later. */
export function missingProperties(
  { locator, definitions, writtenBy }: TargetResource,
  values: ReadonlyMap<string, TypedValue>,
): Problem[] {
  return Object.entries(definitions)
    .filter(
      ([property, definition]) =>
        definition.required === true &&
        property !== INSTANCE_REF_PROPERTY &&
        !Object.hasOwn(writtenBy, property) &&
        !values.has(property),
    )
    .map(([property]) => ({
      locator,
      property,
      errorCode: 'PROPERTY_INVALID',
      ...platformMessage('propertyMissing'),
    }))
}

/** The default value of a property, if it has one. */
export function defaultOf({ default: value }: PropertyDefinition): TypedValue | undefined {
  return value === undefined ? undefined : wrapData(value)
}

/** The values to freeze: flagged as sensitive as defined, and with the protected property if the Module defines it. */
export function frozenValues(
  { definitions }: TargetResource,
  values: ReadonlyMap<string, TypedValue>,
  instanceRef: TypedValue,
): Record<string, TypedValue> {
  const frozen: Record<string, TypedValue> = {}
  for (const [property, definition] of Object.entries(definitions)) {
    const value = property === INSTANCE_REF_PROPERTY ? instanceRef : values.get(property)
    if (value !== undefined) frozen[property] = asDefined(definition, value)
  }
  return frozen
}

/** Changes that set these values of a resource for the first time. */
export function initialChanges(locator: string, values: Iterable<[string, TypedValue]>): PlannedChange[] {
  return [...values].map(([property, after]) => ({ locator, property, before: null, after }))
}
