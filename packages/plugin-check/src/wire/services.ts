import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Profile } from '../profile.ts'
import { isJsonType, parseJson } from './read-answer.ts'

/** Why a call of a plugin to a service is not allowed; null if it is. */
type ServiceCallProblem =
  | 'no-token'
  | 'foreign-token'
  | 'other-service'
  | 'expired'
  | 'wrong-response'
  | 'used-before'
  | 'unknown-method'

/** A call that the plugin made to a service that a reference names. */
export interface ServiceCall {
  serviceId: string
  /** What follows the address of the service, without its first slash. */
  path: string
  httpMethod: string
  /** Whether the profile names it as an event method. */
  isEvent: boolean
  token: string | null
  /** The installation for which the token was resolved; null for a token that no resolution gave. */
  bundleInstallId: string | null
  eventId: string | null
  idempotencyKey: string | null
  status: number
  /** Whether it had JSON under the content type of JSON; null until its body has arrived. */
  isJson: boolean | null
  /** Its body as JSON; undefined if it has none, or until it has arrived. */
  content: unknown
  /** The service has responded with a success. */
  isAccepted: boolean
  problem: ServiceCallProblem | null
}

/** How the delivery of an event fails: by its status, by an envelope with status 200, without an envelope, or not at all. */
export const EVENT_FAILURES = {
  status: 'the status 503',
  limited: 'the status 429',
  failure: 'a failure to be retried',
  garbage: 'a response without an envelope',
  lost: 'no response, because the connection was lost',
  unresolved: 'no access, because resolve was unavailable',
} as const
/** How a resolution for an event fails: not at all, or with access that must not be used. */
export type ResolutionFailure = 'unresolved' | 'expired' | 'other-installation'
export type EventFailure = keyof typeof EVENT_FAILURES | ResolutionFailure

/** What a resolution gave for one service. */
export interface Access {
  serviceId: string
  bundleInstallId: string
  /** Seconds since 1970. */
  expiry: number
  /** The response of resolve was for another request: its access must not be used. */
  isWrongResponse: boolean
}

/** The services that the references of the profile name. */
export interface Services {
  /** Calls so far. */
  calls: ServiceCall[]
  /** The service accepts this token from now on. */
  admit(token: string, access: Access): void
  /** What a token of the service allows. */
  methodsOf(serviceId: string): string[]
  /** True: every service responds with 503; `events`: to event methods only. */
  setDown(isDown: boolean | 'events'): void
  /** The first event of an installation fails in this way. Returns whether that has happened. */
  failFirstEvent(bundleInstallId: string, how: EventFailure): () => boolean
  /** How this resolution fails, if it is the first one for an event of such an installation; null otherwise. */
  takeResolutionFailure(bundleInstallId: unknown, serviceIds: readonly string[]): ResolutionFailure | null
  /** Responds to a call below `/services/`. */
  respond(incoming: IncomingMessage, outgoing: ServerResponse): void
}

export const SERVICES_PATH = '/services/'
/** Far above any event. */
const BODY_MAX = 4 * 1024 * 1024
const FAILURE = {
  errorCode: 'BUSY',
  data: { message: 'Refused by plugin-check', retryable: true },
  contractVersion: '1.0.0',
}
const SUCCESS = { errorCode: '0', data: null, contractVersion: '1.0.0' }

export function createServices({ events, services }: Profile): Services {
  const calls: ServiceCall[] = []
  const accesses = new Map<string, Access>()
  const used = new Set<string>()
  let down: boolean | 'events' = false
  const failures = new Map<unknown, EventFailure>()

  const methodsOf = (serviceId: string): string[] => [
    ...new Set([...(events[serviceId] ?? []), ...Object.keys(services[serviceId] ?? {})]),
  ]

  function problemOf(serviceId: string, path: string, token: string | null): ServiceCallProblem | null {
    if (token === null) return 'no-token'
    const access = accesses.get(token)
    if (access === undefined) return 'foreign-token'
    if (access.serviceId !== serviceId) return 'other-service'
    if (access.expiry <= Date.now() / 1000) return 'expired'
    if (access.isWrongResponse) return 'wrong-response'
    if (used.has(token)) return 'used-before'
    const methods = methodsOf(serviceId)
    return methods.length > 0 && !methods.includes(path) ? 'unknown-method' : null
  }

  return {
    calls,
    admit: (token, access) => accesses.set(token, access),
    methodsOf,
    setDown(next) {
      down = next
    },
    failFirstEvent(bundleInstallId, how) {
      failures.set(bundleInstallId, how)
      return () => !failures.has(bundleInstallId)
    },
    takeResolutionFailure(bundleInstallId, serviceIds) {
      const failure = failures.get(bundleInstallId)
      const isMeant = isOfResolution(failure) && serviceIds.some((id) => (events[id] ?? []).length > 0)
      if (!isMeant) return null
      failures.delete(bundleInstallId)
      return failure
    },
    respond(incoming, outgoing) {
      const [target = ''] = (incoming.url ?? '').slice(SERVICES_PATH.length).split('?')
      const [serviceId = '', ...rest] = target.split('/').map(decode)
      const path = rest.join('/')
      const token = /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? null
      const problem = problemOf(serviceId, path, token)
      const answer = services[serviceId]?.[path]
      const isEvent = events[serviceId]?.includes(path) === true
      const bundleInstallId = token === null ? null : (accesses.get(token)?.bundleInstallId ?? null)
      const planned = isEvent && problem === null ? failures.get(bundleInstallId) : undefined
      const failure = isOfResolution(planned) ? undefined : planned
      failures.delete(failure === undefined ? null : bundleInstallId)
      const isDown = down === true || (down === 'events' && isEvent) || failure === 'status'
      const status =
        problem === 'unknown-method'
          ? 404
          : problem !== null
            ? 401
            : isDown
              ? 503
              : failure === 'limited'
                ? 429
                : (answer?.status ?? 200)
      if (token !== null) used.add(token)
      const call: ServiceCall = {
        serviceId,
        path,
        httpMethod: incoming.method ?? '',
        isEvent,
        token,
        bundleInstallId,
        eventId: headerOf(incoming, 'event-id'),
        idempotencyKey: headerOf(incoming, 'idempotency-key'),
        status,
        isJson: null,
        content: undefined,
        isAccepted: status === 200 && failure === undefined,
        problem,
      }
      calls.push(call)
      const chunks: Buffer[] = []
      let length = 0
      incoming.on('data', (chunk: Buffer) => {
        length += chunk.byteLength
        // a plugin that never ends its body must not end the checker; what was cut off is no JSON
        if (length <= BODY_MAX) chunks.push(chunk)
      })
      incoming.on('end', () => {
        const type = headerOf(incoming, 'content-type') ?? ''
        call.content = parseJson(Buffer.concat(chunks))
        call.isJson = isJsonType(type) && call.content !== undefined
      })
      if (failure === 'lost') {
        outgoing.destroy()
        return
      }
      const body =
        failure === 'failure'
          ? FAILURE
          : problem === null && !isDown && failure !== 'garbage' && failure !== 'limited'
            ? (answer?.body ?? SUCCESS)
            : { status }
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
  }
}

const isOfResolution = (failure: EventFailure | undefined): failure is ResolutionFailure =>
  failure === 'unresolved' || failure === 'expired' || failure === 'other-installation'

const headerOf = ({ headers }: IncomingMessage, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
