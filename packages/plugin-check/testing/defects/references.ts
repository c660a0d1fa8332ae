import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { InstallationIdentity } from '../../../../contract/protocol/scope.ts'
import { breaks } from './defect.ts'
import { CREDENTIAL, data, digest, type Change, type Parts } from '../reference-parts.ts'
import type { Access } from '../reference-resolve.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with resolving and with the calls of services.

const anyAccess =
  (name: keyof Parts['accessChecks']): Change =>
  (parts) => {
    parts.accessChecks[name] = () => true
  }

const using =
  (use: (access: readonly Access[], parts: Parts) => JsonObject): Change =>
  (parts) => {
    const { writesOf, useReferences } = parts
    let found: readonly Access[] = []
    parts.useReferences = async (request) => {
      const access = await useReferences(request)
      if (access.length > 0) found = access
      return access
    }
    parts.writesOf = (tenant, request, access) => ({
      ...writesOf(tenant, request, access),
      ...(found.length > 0 && request.operation.operationType === 'INSTALL' && use(found, parts)),
    })
    const { apply } = parts
    parts.apply = (request) =>
      request.operation.operationType === 'INSTALL' && request.stage === 'AFTER_RESOURCES'
        ? { ...apply(request), outcome: 'APPLIED' }
        : apply(request)
  }

/** The work throws again what it has thrown in an earlier attempt of the call. */
function remembersFailure<Args extends unknown[], Result>(
  parts: Parts,
  work: (request: LifecycleRequest, ...args: Args) => Promise<Result>,
): typeof work {
  const failed = new Map<string, unknown>()
  return async (request, ...args) => {
    const key = parts.keyOf(request)
    if (failed.has(key)) throw failed.get(key)
    try {
      return await work(request, ...args)
    } catch (error) {
      failed.set(key, error)
      throw error
    }
  }
}

const resolving =
  (edit: (sent: ReturnType<Parts['resolveRequest']>) => unknown): Change =>
  (parts) => {
    const { resolveRequest } = parts
    parts.resolveRequest = (...args) => {
      const sent = resolveRequest(...args)
      edit(sent)
      return sent
    }
  }

const calling =
  (
    change: (
      access: Access,
      request: LifecycleRequest,
    ) => {
      path?: string
      method?: string
      headers?: Record<string, string>
      token?: string
    },
  ): Change =>
  (parts) => {
    parts.callService = async (access, request) => {
      const { bundleInstallId } = request.installation
      const changes = change(access, request)
      const { path = 'tenantCreated', method = 'POST', headers = {}, token = access.token } = changes
      const response = await fetch(`${access.url}/${path}`, {
        method,
        headers: {
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          'content-type': 'application/json',
          'event-id': `created-${bundleInstallId}`,
          'idempotency-key': bundleInstallId,
          ...headers,
        },
        ...(method === 'POST' && { body: '{}' }),
      })
      if (response.status >= 500)
        throw new Refusal('MAIL_UNAVAILABLE', 'The mail service is not available', true)
    }
  }

export const REFERENCE_DEFECTS = {
  'ignores-refusal': breaks(
    'reference.refused',
    'succeeds although a reference was not resolved',
    (parts) => {
      parts.onRefused = () => []
    },
    ['reference.revoked', 'reference.no-answer', 'reference.no-access'],
  ),
  'exact-envelope': breaks(
    'reference.unknown-field',
    'refuses the response of a resolution that has a field which it does not know',
    (parts) => {
      const { readEnvelope } = parts
      parts.readEnvelope = (json) => readEnvelope(Object.keys(json as object).length === 3 ? json : null)
    },
  ),
  'ignores-garbage': breaks(
    'reference.no-answer',
    'takes a response that is no envelope for an empty one',
    (parts) => {
      const { onRefused } = parts
      parts.onRefused = (json) =>
        typeof json === 'object' && json !== null && 'errorCode' in json ? onRefused(json) : []
    },
  ),
  'uses-expired-access': breaks('reference.expired', 'uses expired access', anyAccess('expiry'), [
    'reference.expired-elsewhere',
    'service.event-access',
  ]),
  'expiry-as-text': breaks(
    'reference.expired-elsewhere',
    'compares expiresAt as a text with the time in UTC',
    (parts) => {
      parts.accessChecks.expiry = ({ expiresAt }) =>
        expiresAt === null || expiresAt > new Date().toISOString()
    },
  ),
  'uses-foreign-access': breaks(
    'reference.other-installation',
    'does not compare the installation of a resolution',
    anyAccess('installation'),
    ['reference.other-workspace', 'service.event-access'],
  ),
  'compares-install-id-only': breaks(
    'reference.other-workspace',
    'compares only the bundleInstallId of a resolution',
    (parts) => {
      const idOf = (installation: unknown): unknown =>
        InstallationIdentity.parse(installation).bundleInstallId
      parts.accessChecks.installation = ({ installation }, { body }) =>
        idOf(installation) === idOf(body['installation'])
    },
  ),
  'uses-any-access': breaks(
    'service.event-access',
    'sends events with any access that it gets',
    (parts) => {
      for (const name of Object.keys(parts.accessChecks)) parts.accessChecks[name as 'expiry'] = () => true
    },
    ['reference'],
  ),
  'uses-access-of-resource': breaks(
    'reference.other-resource',
    'does not compare the resource of a resolution',
    anyAccess('resource'),
  ),
  'uses-access-of-property': breaks(
    'reference.other-property',
    'does not compare the property of a resolution',
    anyAccess('property'),
  ),
  'ignores-missing-access': breaks(
    'reference.no-access',
    'succeeds although a resolution has no access',
    (parts) => {
      const { onRefused } = parts
      parts.onRefused = (json) =>
        typeof json === 'object' && json !== null && 'errorCode' in json && json.errorCode === '0'
          ? []
          : onRefused(json)
    },
  ),
  'needs-expiry': breaks('reference.no-expiry', 'refuses access without an expiry', (parts) => {
    parts.accessChecks.expiry = ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) > Date.now()
  }),
  'resolves-with-plugin-id': breaks(
    'reference.request',
    'sends its pluginId to resolve',
    resolving(({ body }) => (body['pluginId'] = 'reference-plugin')),
    ['*'],
  ),
  'resolves-once': breaks(
    'reference.resolved-again',
    'keeps the access that it resolved',
    (parts) => {
      const { resolve } = parts
      let kept: Access[] | null = null
      parts.resolve = async (...args) => (kept ??= await resolve(...args))
    },
    ['*'],
  ),
  'resolves-early': breaks(
    'reference.not-too-early',
    'tries to resolve in BEFORE_RESOURCES of an INSTALL',
    (parts) => {
      const { useReferences, resolve } = parts
      parts.useReferences = async (request) => {
        const [[locator, entry] = ['']] = Object.entries(request.resources)
        const [name] = Object.keys(entry?.references ?? {})
        if (
          request.stage === 'BEFORE_RESOURCES' &&
          request.operation.operationType === 'INSTALL' &&
          name !== undefined
        )
          await resolve(request, locator, name).catch(() => undefined)
        return useReferences(request)
      }
    },
  ),
  'final-when-down': breaks(
    'reference.down',
    'gives up if resolve is unavailable',
    (parts) => {
      const { resolve } = parts
      parts.resolve = async (...args) => {
        try {
          return await resolve(...args)
        } catch (error) {
          throw error instanceof Refusal ? new Refusal(error.code, error.message) : error
        }
      }
    },
    ['repeat.temporary-failure', 'service.event-again'],
  ),
  'remembers-failed-resolution': breaks(
    'reference.failure-not-remembered',
    'repeats the failure of a resolution for ever',
    (parts) => {
      parts.resolve = remembersFailure(parts, parts.resolve)
    },
    ['service.event-again'],
  ),
  'remembers-failed-service': breaks(
    'service.failure-not-remembered',
    'repeats the failure of a service for ever',
    (parts) => {
      const call = remembersFailure(parts, (request, access: Access) => callService(access, request))
      const { callService } = parts
      parts.callService = (access, request) => call(request, access)
    },
    ['service'],
  ),
  'writes-access-token': breaks(
    'reference.not-written-back',
    'writes a resolved token back',
    using(([access]) => ({ region: data(access?.token ?? '') })),
  ),
  'writes-access-address': breaks(
    'reference.not-written-back',
    'writes a resolved address back',
    using(([access]) => ({ region: data(access?.url ?? '') })),
  ),
  'calls-without-token': breaks(
    'service.token',
    'calls a service without a token',
    calling(() => ({ token: '' })),
  ),
  'calls-with-credential': breaks(
    'service.token',
    'calls a service with its own credential',
    calling(() => ({ token: CREDENTIAL })),
  ),
  'calls-twice': breaks(
    'service.access-used-once',
    'uses the access of one resolution for two calls',
    (parts) => {
      const { callService } = parts
      parts.callService = async (access, request) => {
        await callService(access, request)
        await callService(access, request).catch(() => undefined)
      }
    },
    ['service.event-id-stays'],
  ),
  'keeps-access': breaks(
    'service.access-used-once',
    'keeps the access of an installation for its later operations',
    (parts) => {
      const { useReferences } = parts
      const kept = new Map<string, readonly Access[]>()
      parts.useReferences = async (request) => {
        const { bundleInstallId } = request.installation
        const access = await useReferences(request)
        if (access.length > 0) kept.set(bundleInstallId, access)
        else if (request.stage === 'AFTER_RESOURCES' && request.operation.operationType !== 'DETACH')
          for (const one of kept.get(bundleInstallId) ?? [])
            await parts.callService(one, request).catch(() => undefined)
        return access
      }
    },
  ),
  'calls-unknown-method': breaks(
    'service.method',
    'calls an event method that the service does not have',
    calling(() => ({ path: 'tenant-created' })),
  ),
  'calls-below-path': breaks(
    'service.method',
    'calls an event method below another path',
    calling(() => ({ path: 'events/tenantCreated' })),
  ),
  'calls-with-get': breaks(
    'service.method',
    'calls an event method with GET',
    calling(() => ({ method: 'GET' })),
    ['service.event-again', 'service.event-json'],
  ),
  'accepted-by-status': breaks(
    'service.event-again',
    'takes an event for delivered because of the status 200',
    (parts) => {
      parts.isAccepted = ({ status }) => Promise.resolve(status === 200)
    },
  ),
  'limited-is-final': breaks('service.event-again', 'drops an event after the status 429', (parts) => {
    const { isAccepted } = parts
    parts.isAccepted = async (response) => response.status === 429 || isAccepted(response)
  }),
  'no-event-id': breaks(
    'service.event-headers',
    'sends events without an Event-Id',
    calling(() => ({ headers: { 'event-id': '' } })),
    ['service.event-id-stays', 'service.event-again'],
  ),
  'one-event-id': breaks(
    'service.event-id-new',
    'gives the events of INSTALL and CONFIGURE one ID',
    (parts, world) => {
      calling((_, { operation }) => ({ headers: { 'idempotency-key': operation.operationId } }))(parts, world)
      const { useReferences } = parts
      parts.useReferences = (request) => {
        const { operation } = request
        const isConfigure = operation.operationType === 'CONFIGURE'
        return useReferences(
          isConfigure ? { ...request, operation: { ...operation, operationType: 'INSTALL' } } : request,
        )
      }
    },
    ['service.event-again'],
  ),
  'event-as-text': breaks(
    'service.event-json',
    'sends events under the content type of a text',
    calling(() => ({ headers: { 'content-type': 'text/plain' } })),
    ['service.event-again'],
  ),
  'new-event-id': breaks(
    'service.event-id-stays',
    'gives an event a new ID in each attempt',
    calling(({ token }) => ({ headers: { 'event-id': digest(token).slice(0, 20) } })),
  ),
  'calls-service-again': breaks(
    'service.repeat-calls-nothing',
    'calls the service before it looks for the remembered response',
    (parts) => {
      const { once } = parts
      parts.once = async (request, hash) => {
        if (parts.recall(parts.keyOf(request), request) !== undefined) await parts.useReferences(request)
        return once(request, hash)
      }
    },
    ['repeat', 'reference', 'detach', 'service'],
  ),
  'calls-although-refused': breaks(
    'service.not-after-refusal',
    'calls the service with earlier access if resolve refuses',
    (parts) => {
      const { resolve } = parts
      let kept: Access[] = []
      parts.resolve = async (request, ...args) => {
        try {
          return (kept = await resolve(request, ...args))
        } catch (error) {
          for (const access of kept) await parts.callService(access, request).catch(() => undefined)
          throw error
        }
      }
    },
    ['service', 'reference'],
  ),
}
