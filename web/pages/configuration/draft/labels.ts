import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'

export { kindIcon, propertyTitle } from '../../../forms/property/property-labels.ts'

/** The title of a resource, even if it no longer exists. */
export function resourceTitle(resource: ConfigurationResource | undefined, locator: string): string {
  return resource?.title || (parseLocator(locator)?.name ?? locator)
}

export const bundleIdOf = (locator: string): string => parseLocator(locator)?.bundleId ?? locator

export const resourceName = (locator: string): string => parseLocator(locator)?.name ?? locator
