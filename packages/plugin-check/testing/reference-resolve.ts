import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import { AccessResolutionResponse } from '../../../contract/protocol/access-resolution.ts'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { Refusal } from './refusal.ts'

export interface ResolveRequest {
  path: string
  credential: string
  body: Record<string, unknown>
}

/** The access of one service, to be used once. */
export interface Access {
  serviceId: string
  url: string
  token: string
}

/** The parts of a plugin that resolve references and call services; a defect replaces one of them. */
export interface ReferenceParts {
  resolveRequest(request: LifecycleRequest, resource: string, propertyKey: string): ResolveRequest
  /** What must be true of a response before its access is used. */
  accessChecks: Record<
    'installation' | 'resource' | 'property' | 'expiry',
    (response: AccessResolutionResponse, request: ResolveRequest) => boolean
  >
  readEnvelope: typeof readEnvelope
  /** After a failure of resolve: throws, because the call did not succeed. */
  onRefused(json: unknown): Access[]
  resolve(request: LifecycleRequest, resource: string, propertyKey: string): Promise<Access[]>
  /** Tells the service that the tenant exists. Throws if it could not. */
  callService(access: Access, request: LifecycleRequest): Promise<void>
  /** Whether a service has accepted an event. */
  isAccepted(response: Response): Promise<boolean>
  /** Resolves every reference of the call, and calls the services. */
  useReferences(request: LifecycleRequest): Promise<Access[]>
}

const PATH = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'

export function referenceParts(platform: string, credential: string, parts: ReferenceParts): ReferenceParts {
  return {
    resolveRequest: ({ installation }, resource, propertyKey) => ({
      path: PATH,
      credential,
      body: { contractVersion: '4.0.0', installation, resource, propertyKey },
    }),
    readEnvelope,
    accessChecks: {
      installation: ({ installation }, { body }) =>
        JSON.stringify(installation) === JSON.stringify(body['installation']),
      resource: ({ resource }, { body }) => resource === body['resource'],
      property: ({ propertyKey }, { body }) => propertyKey === body['propertyKey'],
      expiry: ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > Date.now(),
    },
    onRefused() {
      throw new Refusal('MAIL_NOT_AUTHORIZED', 'The mail service may not be used')
    },
    async resolve(request, resource, propertyKey) {
      const sent = parts.resolveRequest(request, resource, propertyKey)
      const response = await fetch(`${platform}${sent.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sent.credential}`, 'content-type': 'application/json' },
        body: JSON.stringify(sent.body),
      })
      if (response.status !== 200)
        throw new Refusal('MAIL_UNAVAILABLE', 'The mail service is not available', true)
      const json: unknown = await response.json()
      const envelope = parts.readEnvelope(json)
      const reading = AccessResolutionResponse.safeParse(envelope.kind === 'success' ? envelope.data : null)
      if (!reading.success) return parts.onRefused(json)
      const isRight = Object.values(parts.accessChecks).every((check) => check(reading.data, sent))
      if (!isRight) throw new Refusal('MAIL_NOT_AUTHORIZED', 'The access of the mail service is not valid')
      return Object.entries(reading.data.access).map(([serviceId, access]) => ({ serviceId, ...access }))
    },
    async callService({ url, token }, { installation }) {
      const response = await fetch(`${url}/tenantCreated`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'event-id': `created-${installation.bundleInstallId}`,
          'idempotency-key': installation.bundleInstallId,
        },
        body: '{}',
      })
      if (!(await parts.isAccepted(response)))
        throw new Refusal('MAIL_UNAVAILABLE', 'The mail service is not available', true)
    },
    async isAccepted(response) {
      const json: unknown = response.status === 200 ? await response.json() : null
      return readEnvelope(json).kind === 'success'
    },
    async useReferences(request) {
      if (request.stage !== 'AFTER_RESOURCES' || request.operation.operationType !== 'INSTALL') return []
      const used: Access[] = []
      for (const [resource, { references }] of Object.entries(request.resources))
        for (const propertyKey of Object.keys(references))
          for (const access of await parts.resolve(request, resource, propertyKey)) {
            await parts.callService(access, request)
            used.push(access)
          }
      return used
    },
  }
}
