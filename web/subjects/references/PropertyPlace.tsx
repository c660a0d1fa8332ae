import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { paths } from '../../addresses/paths.ts'
import { TextLink } from '../../ui/Link.tsx'
import { LocatorText } from '../../ui/Id.tsx'

/** A resource by its title, or by its name if it is not installed yet. */
export const resourceText = ({ locator, resourceTitle }: { locator: string; resourceTitle: string | null }) =>
  resourceTitle ?? parseLocator(locator)?.name ?? locator

/**
 * A reference property and its resource; a link to its place in the configuration. The property has no title: a title is
 * a part of a schema, which a manifest has only for DATA.
 */
export function PropertyPlaceText({
  installation,
  locator,
  resourceTitle,
  property,
}: {
  installation: InstallationIdentity
  locator: string
  resourceTitle: string | null
  property: string
}) {
  return (
    <span className="block py-1.5 whitespace-normal">
      <span title={locator}>
        <TextLink to={paths.configuration(installation, { resource: locator, property })}>
          {resourceText({ locator, resourceTitle })} · <span className="mono">{property}</span>
        </TextLink>
      </span>
      {/* a title needs no address */}
      {resourceTitle === null && (
        <span className="block text-xs">
          <LocatorText locator={locator} />
        </span>
      )}
    </span>
  )
}

/** A service by its title and id; without a link if it is not registered, which is if it has no title. */
export function ServiceLink({ serviceId, title }: { serviceId: string; title: string | null }) {
  if (title === null) return <span className="mono">{serviceId}</span>
  return (
    <>
      <TextLink to={paths.service(serviceId)}>{title}</TextLink>{' '}
      <span title={serviceId} className="mono text-faint @min-[40rem]/table:@max-[68rem]/table:hidden">
        {serviceId}
      </span>
    </>
  )
}
