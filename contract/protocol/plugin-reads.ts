import * as z from 'zod'
import { EventDeclaration } from './event-declaration.ts'
import { mapOf, PropertyName, ResourceLocator, ServiceId } from './keys.ts'
import { PLUGIN_READS_VERSION } from './limits.ts'
import { InstallationIdentity } from './scope.ts'

// What plugins read from the plugin manager beside access; an addition of this platform to the given contract.

const version = { contractVersion: z.literal(PLUGIN_READS_VERSION, `Must be ${PLUGIN_READS_VERSION}`) }

/** Requests the compiled authorization of the calling plugin on one installation. */
export const AuthorizationReadRequest = z.strictObject({ ...version, installation: InstallationIdentity })
export type AuthorizationReadRequest = z.infer<typeof AuthorizationReadRequest>

const echo = {
  ...version,
  installation: InstallationIdentity,
  resource: ResourceLocator,
  propertyKey: PropertyName,
}

/** Requests what the targets of a reference property accept as events. */
export const EventDeclarationsRequest = z.strictObject(echo)
export type EventDeclarationsRequest = z.infer<typeof EventDeclarationsRequest>

/** The events that each service of the current reference accepts, by serviceId. */
export const EventDeclarationsResponse = z.object({
  ...echo,
  events: mapOf(ServiceId, z.array(EventDeclaration)),
})
export type EventDeclarationsResponse = z.infer<typeof EventDeclarationsResponse>
