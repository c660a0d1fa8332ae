import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key, PropertyName, ResourceLocator, Uuid } from '#contract/protocol/keys.ts'
import { InstallationIdentity, Scope } from '#contract/protocol/scope.ts'
import { listOf, pageQuery, plainName, Reason, scopeFilter, searchText, Timestamp } from './common.ts'
import { Address, ExpectedRegistration } from './plugins.ts'

const owner = z.strictObject({ bundleInstallId: Uuid, locator: ResourceLocator })
const method = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/, 'Must be one path segment')

export const Service = z.object({
  serviceId: Key,
  title: z.string(),
  url: z.string(),
  methods: z.array(z.string()),
  owner: owner.nullable(),
  consumers: z.array(Scope),
  enabled: z.boolean(),
  /** When the registration was saved last. */
  updatedAt: Timestamp,
})
export type Service = z.infer<typeof Service>

/** A reference to a service: the property of an installed resource. */
export const Referrer = z.object({
  installation: InstallationIdentity,
  installationTitle: z.string(),
  locator: ResourceLocator,
  /** Null if the resource is not installed yet. */
  resourceTitle: z.string().nullable(),
  property: PropertyName,
  serviceId: Key,
  serviceTitle: z.string(),
})
export type Referrer = z.infer<typeof Referrer>

const params = z.strictObject({ serviceId: Key })

export const serviceEndpoints = defineEndpoints({
  'GET /services': {
    summary: 'Registered services; with a full scope, only those that it may use',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({ ...scopeFilter, q: searchText, ...pageQuery }),
    answer: listOf(Service),
    codes: [],
  },
  'GET /services/{serviceId}': {
    summary: 'One registered service',
    access: { needs: 'read', where: 'anywhere' },
    params,
    answer: Service,
    codes: ['NOT_FOUND'],
  },
  'PUT /services/{serviceId}': {
    summary: 'Register a service, or change its registration',
    audit: 'service.save',
    access: { needs: 'service:write', where: 'everywhere' },
    params,
    body: z.strictObject({
      title: plainName(200),
      url: Address,
      methods: z.array(method).max(200),
      owner: owner.nullable(),
      consumers: z.array(Scope).max(1000),
      enabled: z.boolean(),
      expected: ExpectedRegistration,
      reason: Reason.optional(),
    }),
    answer: Service,
    codes: [
      'REGISTRATION_EXISTS',
      'REGISTRATION_STALE',
      'RESOURCE_OWNERSHIP_MISSING',
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  'GET /services/{serviceId}/referrers': {
    summary: 'Properties of installed resources that refer to the service',
    access: { needs: 'read', where: 'anywhere' },
    params,
    query: z.strictObject(pageQuery),
    answer: listOf(Referrer),
    codes: ['NOT_FOUND'],
  },
})
