import { createHash } from 'node:crypto'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import * as z from 'zod'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { successEnvelope } from '../../../contract/protocol/envelope.ts'
import { Key } from '../../../contract/protocol/keys.ts'
import { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import type { PluginHandler } from './define-plugin.ts'
import {
  envelopeAnswer,
  failureAnswer,
  parseJson,
  problemAnswer,
  problemOf,
  readBody,
  toFetchHandler,
  type HttpCall,
} from './http.ts'
import { eventsOf } from './outbox.ts'
import { PluginFailure, sdkFailure } from './result.ts'
import type { Awaitable } from './awaitable.ts'
import type { Store } from './store.ts'
import { bearerVerifier, keysOf, type VerifyToken } from './token.ts'
import { printEventError } from './print-error.ts'

/** An event whose sender, target and method are verified. */
export interface IncomingEvent {
  eventId: string
  idempotencyKey: string
  method: string
  payload: JsonValue
  /** The plugin that sent it. */
  pluginId: string
  /** The installation on whose behalf it was sent. */
  installation: InstallationIdentity
}

export interface EventReceiverOptions<Tx> {
  /** The service as which this program is registered: the audience of accepted tokens. */
  serviceId: string
  /** Handled event ids are stored in the same transaction as what the handler changes. */
  store: Store<Tx>
  /** By event method. The change and the memory of the event are committed together. */
  handle: Readonly<Record<string, (event: IncomingEvent, tx: Tx) => Awaitable<unknown>>>
  /** The platform's registered address, from which its keys are fetched. */
  platformApiBase?: string
  /** The `iss` of the platform's tokens; default: the platform's address. */
  issuer?: string
  /** A key set to verify with, instead of fetching it. */
  keys?: JSONWebKeySet
  /** Default 256 KiB. */
  maxRequestBytes?: number
  /** How long an event id is remembered; default 30 days. It must be longer than senders retry. */
  retentionMs?: number
  /**
   * Receives errors of a handler that are not PluginFailures, with the id of the event, or null if it could not be read.
   * Default: print both, without addresses and tokens.
   */
  onError?: (error: unknown, eventId: string | null) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

const AccessClaims = z.object({
  sub: Key,
  methods: z.array(z.string()),
  installation: InstallationIdentity,
})

const DAY_MS = 24 * 60 * 60 * 1000
const FORGET_EVERY_MS = 60 * 60 * 1000

/**
 * The receiving end of events, at any path that ends with the event method. It accepts a call only with a token that the
 * platform signed for this service, that has not expired and that lists the method. An event that was handled is
 * confirmed again without running the handler; the same id with another content is refused.
 */
export function eventReceiver<Tx>(options: EventReceiverOptions<Tx>): PluginHandler {
  const { serviceId, store, handle, now = Date.now, retentionMs = 30 * DAY_MS } = options
  const { maxRequestBytes = 256 * 1024, onError = printEventError } = options
  const events = eventsOf(store)
  const verifyToken = verifierOf(options)
  let forgottenAt = 0

  async function receive(call: HttpCall, onRead: (eventId: string) => void): Promise<string> {
    const claims = await verifyToken(call.header('authorization'))
    const method = methodOf(call.url)
    const { sub, installation } = requireMethod(claims, method)
    const handler = Object.hasOwn(handle, method) ? handle[method] : undefined
    if (handler === undefined)
      throw sdkFailure('EVENT_NOT_DECLARED', 'This service does not handle this event')
    const body = await readBody(call, maxRequestBytes)
    const eventId = headerOf(call, 'event-id')
    onRead(eventId)
    const idempotencyKey = headerOf(call, 'idempotency-key')
    const payload = parseJson(body)
    const fingerprint = createHash('sha256').update(`${method}\n`).update(body).digest('hex')
    await store.transaction(async (tx) => {
      const received = await events.readReceived(tx, { source: sub, eventId })
      if (received !== null) {
        if (received.fingerprint !== fingerprint)
          throw sdkFailure('EVENT_ID_REUSED', 'Another event with this id has already arrived')
        return
      }
      await handler({ eventId, idempotencyKey, method, payload, pluginId: sub, installation }, tx)
      await events.insertReceived(tx, { source: sub, eventId, fingerprint, receivedAt: now() })
      if (now() - forgottenAt > FORGET_EVERY_MS) {
        await events.forgetReceived(tx, now() - retentionMs)
        forgottenAt = now()
      }
    })
    return JSON.stringify(successEnvelope(null))
  }

  return toFetchHandler(async (call) => {
    let eventId: string | null = null
    try {
      return envelopeAnswer(await receive(call, (id) => (eventId = id)))
    } catch (error) {
      if (error instanceof PluginFailure) return failureAnswer(serviceId, error)
      const problem = problemOf(error)
      if (problem !== null) return problemAnswer(problem)
      onError(error, eventId)
      const failure = sdkFailure('PLUGIN_INTERNAL_ERROR', 'The service encountered an internal error', true)
      return failureAnswer(serviceId, failure)
    }
  })
}

function verifierOf<Tx>({
  serviceId,
  platformApiBase,
  issuer = platformApiBase,
  keys,
}: EventReceiverOptions<Tx>): VerifyToken {
  if (issuer === undefined) throw new Error('Set platformApiBase or issuer, the issuer of accepted tokens')
  return bearerVerifier({
    audience: serviceId,
    issuer,
    keys: keysOf(keys, platformApiBase),
    requiredClaims: ['sub', 'exp', 'methods', 'installation'],
  })
}

function requireMethod(claims: JWTPayload, method: string): z.output<typeof AccessClaims> {
  const reading = AccessClaims.safeParse(claims)
  if (reading.success && reading.data.methods.includes(method)) return reading.data
  throw sdkFailure('EVENT_METHOD_NOT_ALLOWED', 'The token does not allow this event method')
}

function methodOf(url: string): string {
  const segment = new URL(url, 'http://plugin.invalid').pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    throw sdkFailure('REQUEST_INVALID', 'The path does not end with an event method')
  }
}

function headerOf(call: HttpCall, name: string): string {
  const value = call.header(name)
  if (value === null || !/^[\x21-\x7e]{1,128}$/.test(value))
    throw sdkFailure('REQUEST_INVALID', `The header ${name} must have 1 to 128 visible ASCII characters`)
  return value
}
