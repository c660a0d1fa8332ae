import { checkValue } from '../../../contract/json-schema/json-schema.ts'
import { postJson } from './post-json.ts'
import type { Access } from '../../../contract/protocol/access-resolution.ts'
import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import { isKey } from '../../../contract/protocol/locator.ts'
import { truncate, withoutAccess } from './answer.ts'
import type { DeclarationSource } from './event-declarations.ts'
import type { DeliveryError, OutboxEvent } from './event-store.ts'
import { isCredentialRefused, PlatformCallFailed, type PlatformOptions } from './platform.ts'
import { ReferenceNotResolved, resolveReference } from './resolve-reference.ts'

/** Why an attempt did not deliver. `retryable`: the same event can be delivered later. */
export interface DeliveryFailure extends DeliveryError {
  retryable: boolean
}

export interface DeliverOptions {
  platform: PlatformOptions
  declarations: DeclarationSource
  timeoutMs: number
  now: () => number
  /** Told how long the target took to answer; without an answer, `timeoutMs`. */
  onCalled: (tookMs: number) => void
}

/**
 * One attempt: resolves the reference, checks the payload against the declaration of the target, and calls it. Returns
 * null if the target confirmed the event. Access is used here only; the failure contains nothing of it.
 */
export async function deliverEvent(
  event: OutboxEvent,
  options: DeliverOptions,
): Promise<DeliveryFailure | null> {
  try {
    return await attempt(event, options)
  } catch (error) {
    if (!(error instanceof ReferenceNotResolved || error instanceof PlatformCallFailed)) throw error
    const { errorCode, message, retryable } = error
    // Somebody replaces a refused credential while the plugin runs, and the event is still to be sent.
    return { errorCode, message, retryable: retryable || isCredentialRefused(error) }
  }
}

async function attempt(
  event: OutboxEvent,
  { platform, declarations, timeoutMs, now, onCalled }: DeliverOptions,
): Promise<DeliveryFailure | null> {
  const { installation, resource, propertyKey, method, payload } = event
  // a path segment like `..` would reach another address of the target, with its token
  if (!isKey(method))
    return final('EVENT_METHOD_INVALID', 'The method is not 1 to 128 characters of A-Z a-z 0-9 . _ ~ -')
  const location = { installation, resource, propertyKey }
  const { reference, access, expiresAt } = await resolveReference({ ...platform, ...location, now })
  if (reference['@type'] !== 'ServiceReference')
    return final('EVENT_REFERENCE_INVALID', `${propertyKey} is not a reference to a single service`)
  const { serviceId } = reference
  const target = access[serviceId]
  if (target === undefined)
    return final('EVENT_REFERENCE_INVALID', 'The platform gave no access to the target')
  const declared = await declarations.find(location, { serviceId, method })
  if (declared === undefined)
    return final(
      'EVENT_NOT_DECLARED',
      `The service ${serviceId} does not accept ${method}: its Module must declare the event, or its methods list it if it has no Module`,
    )
  const [problem] = declared === null ? [] : checkValue(declared.schema, payload)
  if (problem !== undefined)
    return final('EVENT_PAYLOAD_INVALID', truncate(`The payload${at(problem.path)}: ${problem.message}`))
  if (expiresAt !== null && expiresAt.getTime() <= now())
    return { errorCode: 'ACCESS_EXPIRED', message: 'The access expired before it was used', retryable: true }
  return send(event, target, { timeoutMs, onCalled })
}

const at = (path: string): string => (path === '' ? '' : ` at ${path}`)

const final = (errorCode: string, message: string): DeliveryFailure => ({
  errorCode,
  message,
  retryable: false,
})

async function send(
  event: OutboxEvent,
  target: Access,
  { timeoutMs, onCalled }: Pick<DeliverOptions, 'timeoutMs' | 'onCalled'>,
): Promise<DeliveryFailure | null> {
  const calledAt = performance.now()
  const response = await post(event, target, timeoutMs)
  onCalled(response === NO_RESPONSE ? timeoutMs : performance.now() - calledAt)
  if (typeof response === 'string') return uncertain(response)
  const envelope = readEnvelope(response.json)
  if (envelope.kind === 'success') return null
  if (envelope.kind === 'invalid') return uncertain('The response of the target is not an envelope')
  const { errorCode, failure } = envelope
  return {
    errorCode,
    message: withoutAccess(failure?.message ?? 'The target rejected the event', [target.url, target.token]),
    retryable: failure?.retryable ?? false,
  }
}

/** The response, or what is wrong with it. */
async function post(
  { eventId, idempotencyKey, method, payload }: OutboxEvent,
  { url, token }: Access,
  timeoutMs: number,
): Promise<{ json: unknown } | string> {
  try {
    const { status, json } = await postJson({
      url: `${url.replace(/\/+$/, '')}/${encodeURIComponent(method)}`,
      headers: {
        authorization: `Bearer ${token}`,
        'event-id': eventId,
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(payload),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return status === 200 ? { json } : `The target responded with status ${status}`
  } catch {
    // The error can contain the address, which is not stored.
    return NO_RESPONSE
  }
}

const NO_RESPONSE = 'The target did not respond'

const uncertain = (message: string): DeliveryFailure => ({
  errorCode: 'EVENT_RESULT_UNCERTAIN',
  message,
  retryable: true,
})
