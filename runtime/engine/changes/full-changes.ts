import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { FullConfigurationBody } from '#contract/runtime-api/configuration.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { PropertyMap } from './compare.ts'
import type { Problem } from '../refusals.ts'

/** A resource that is installed or about to be. */
export interface ResourceFacts {
  definitions: Readonly<Record<string, PropertyDefinition>>
  /** Property → the plugin that may write it. */
  writtenBy: Readonly<Record<string, string>>
}

export type FullResources = FullConfigurationBody['resources']
type FullValue = FullResources[string]['properties'][string]

/**
 * A full configuration as changes. An absent resource, and an absent property that is sensitive, plugin-written,
 * protected or not defined, is unchanged; any other absent property is removed. A sensitive value without `value` is
 * unchanged; on a property that is not sensitive it is a problem.
 *
 * @param mayRemove which of the absent properties are removed; all by default
 */
export function fullChanges(
  current: PropertyMap,
  resources: FullResources,
  facts: ReadonlyMap<string, ResourceFacts>,
  mayRemove: (locator: string, property: string) => boolean = () => true,
): { changes: Changes; problems: Problem[] } {
  const changes: Changes = {}
  const problems: Problem[] = []
  for (const [locator, { properties }] of Object.entries(resources)) {
    const resource = facts.get(locator)
    const ofResource: Changes[string] = {}
    for (const [property, value] of Object.entries(properties)) {
      if (hasValue(value)) ofResource[property] = value
      else if (resource !== undefined && getOwn(resource.definitions, property)?.isSensitive !== true)
        problems.push({
          locator,
          property,
          errorCode: 'REQUEST_INVALID',
          ...platformMessage('valueMissing'),
        })
    }
    for (const property of current.get(locator)?.keys() ?? []) {
      if (Object.hasOwn(properties, property) || resource === undefined) continue
      if (isRemovable(resource, property) && mayRemove(locator, property)) ofResource[property] = null
    }
    changes[locator] = ofResource
  }
  return { changes, problems }
}

const hasValue = (value: FullValue): value is TypedValue => value['@type'] !== 'Data' || 'value' in value

function isRemovable({ definitions, writtenBy }: ResourceFacts, property: string): boolean {
  const definition = getOwn(definitions, property)
  return (
    definition !== undefined &&
    definition.isSensitive !== true &&
    property !== INSTANCE_REF_PROPERTY &&
    !Object.hasOwn(writtenBy, property)
  )
}
