import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { parseLocator, type ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { schemaOf } from '../../forms/control-kind.ts'
import type { IconName } from '../../ui/icons/Icon.tsx'

export const kindIcon: Record<ResourceKind, IconName> = {
  MODULE: 'installations',
  GATEWAY: 'link',
  AGENT: 'person',
  TIMER: 'clock',
}

/** What people call a property: the title of its schema, else its name. */
export function propertyTitle(definition: PropertyDefinition | undefined, property: string): string {
  const title = definition === undefined ? undefined : schemaOf(definition)['title']
  return typeof title === 'string' && title !== '' ? title : property
}

export function propertyHelp(definition: PropertyDefinition): string {
  const { description } = schemaOf(definition)
  return typeof description === 'string' ? description : ''
}

/** What people call a resource, also when it is not there any more. */
export function resourceTitle(resource: ConfigurationResource | undefined, locator: string): string {
  return resource?.title || (parseLocator(locator)?.name ?? locator)
}

export const bundleIdOf = (locator: string): string => parseLocator(locator)?.bundleId ?? locator

export const resourceName = (locator: string): string => parseLocator(locator)?.name ?? locator

export const scopeKeyOf = (scope: {
  environmentKey: string
  applicationRuntimeId: string
  workspaceId: number
}) => [scope.environmentKey, scope.applicationRuntimeId, scope.workspaceId] as const
