import * as z from 'zod'
import { referencedServices } from './data.ts'
import { mapOf, PropertyName, ResourceLocator, ServiceId } from './keys.ts'
import { ACCESS_VERSION } from './limits.ts'
import { InstallationIdentity } from './scope.ts'
import { Reference } from './typed-value.ts'

const echo = {
  contractVersion: z.literal(ACCESS_VERSION, `Must be ${ACCESS_VERSION}`),
  installation: InstallationIdentity,
  resource: ResourceLocator,
  propertyKey: PropertyName,
}

/** Requests access for a reference property. Strict: it carries no pluginId, target, URL or token. */
export const AccessResolutionRequest = z.strictObject(echo)
export type AccessResolutionRequest = z.infer<typeof AccessResolutionRequest>

/** Address and token of one service, for a single business call; never stored. */
export const Access = z.object({ url: z.string().min(1), token: z.string().min(1) })
export type Access = z.infer<typeof Access>

/**
 * The current reference and one access entry for each of its services. `expiresAt` is the earliest expiry; we never
 * send null, and accept any RFC 3339 time from other platforms.
 */
export const AccessResolutionResponse = z
  .object({
    ...echo,
    reference: Reference,
    access: mapOf(ServiceId, Access),
    expiresAt: z.iso.datetime({ offset: true, error: 'Must be an RFC 3339 time or null' }).nullable(),
  })
  .refine(
    ({ reference, access }) =>
      referencedServices(reference).every((service) => Object.hasOwn(access, service)),
    { path: ['access'], message: 'Must have an entry for every service of the reference' },
  )
export type AccessResolutionResponse = z.infer<typeof AccessResolutionResponse>
