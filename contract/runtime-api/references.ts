import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { installationParams, Key, listOf, pageQuery, PropertyName, ResourceLocator } from './common.ts'
import { Referrer } from './services.ts'
import { REFERENCE_REFUSALS, TARGET_REFUSALS } from './vocabulary.ts'

/** A reference property, and whether it resolves now. Resolving it gives a token only to a plugin. */
export const InstalledReference = z.object({
  locator: ResourceLocator,
  /** Null if the resource is not installed yet. */
  resourceTitle: z.string().nullable(),
  property: PropertyName,
  /** The services of the applied value, which is the one that resolves; of the saved value if none is applied. */
  services: z.array(
    z.object({
      serviceId: Key,
      /** Null if it is not registered. */
      title: z.string().nullable(),
      /** The installation that owns it, if there is one that the caller may see. */
      owner: InstallationIdentity.nullable(),
      /** Null if it is usable. */
      refusal: z.enum(TARGET_REFUSALS).nullable(),
    }),
  ),
  /** Whether the saved value differs from the applied one. */
  isChanged: z.boolean(),
  /** The plugins that may resolve it. Without a credential, disabled or retired, a plugin cannot send the request. */
  plugins: z.array(
    z.object({
      pluginId: Key,
      /** Whether it is enabled and not retired. */
      isEnabled: z.boolean(),
      isRetired: z.literal(true).optional(),
      hasCredential: z.boolean(),
    }),
  ),
  /** Null if a plugin may resolve it; then only a service can refuse it. */
  refusal: z.enum(REFERENCE_REFUSALS).nullable(),
})
export type InstalledReference = z.infer<typeof InstalledReference>

export const referenceEndpoints = defineEndpoints({
  'GET /installations/{bundleInstallId}/references': {
    summary: 'The references of an installation, and which rule refuses each that does not resolve now',
    access: { needs: 'read', where: 'object' },
    params: installationParams,
    answer: z.object({ items: z.array(InstalledReference) }),
    codes: ['NOT_FOUND'],
  },
  'GET /installations/{bundleInstallId}/referrers': {
    summary: 'Properties of installed resources that refer to services of an installation',
    access: { needs: 'read', where: 'object' },
    params: installationParams,
    query: z.strictObject(pageQuery),
    answer: listOf(Referrer),
    codes: ['NOT_FOUND'],
  },
})
