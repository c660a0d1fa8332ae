import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'

/** A marker in responses that must never be stored; no valid response contains it. */
export const POISON = 'POISON-must-not-be-kept'

/** Addresses at which there is no plugin. */
export interface BadEndpoints {
  unknownHost: string
  closedPort: string
  noRoute: string
  blackHole: string
  plainAtHttps: string
  breaksHandshake: string
  resetsAtOnce: string
  /** The target of redirects; no request may ever arrive there. */
  witness: string
}

/** A call that arrived at the plugin, and everything that a fault can do with it. */
export interface CallContext {
  request: LifecycleRequest
  socket: Socket
  response: ServerResponse
  endpoints: BadEndpoints
  /** Executes the call, or recalls its response. Returns the valid envelope. */
  act(): JsonObject
  /** The plugin loses its recorded responses, but not its effects. */
  forget(): void
  json(body: JsonValue): void
  /** Resolves when the operation has ended. */
  ended: Promise<void>
  /** Makes another worker lease the operation, so that the response to this call arrives too late. */
  loseLease(): Promise<void>
}

/** What the fault means for the operation according to docs/protocol.md. */
export type Meaning =
  /** Uncertain, or retryable according to the plugin: the same bytes are sent again. `lastCode` if no attempt succeeds. */
  | { as: 'repeat'; code: string; status: number | null; lastCode: string }
  | { as: 'failed'; code: string; retryable: boolean }
  | { as: 'done' }
  /** The worker has lost the operation: the response is recorded as late, and the call is sent again. */
  | { as: 'late' }

export interface Fault {
  name: string
  /** `inject` responds to a call; `endpoint` is the address at which the plugin is registered while the fault lasts. */
  how: { inject: (context: CallContext) => unknown } | { endpoint: keyof BadEndpoints }
  means: Meaning
  /** The fault is a missing response: the plugin is registered with a short timeout. */
  isSlow: boolean
}

export interface Kind {
  number: number
  name: string
  faults: readonly [Fault, ...Fault[]]
}

export const uncertain = (code: string, status: number | null = null): Meaning => ({
  as: 'repeat',
  code,
  status,
  lastCode: 'PLUGIN_RESULT_UNKNOWN',
})
export const unreachable = uncertain('PLUGIN_UNREACHABLE')
export const timedOut = uncertain('PLUGIN_TIMEOUT')
export const unknown = uncertain('PLUGIN_RESULT_UNKNOWN')
export const invalid: Meaning = { as: 'failed', code: 'PLUGIN_RESPONSE_INVALID', retryable: false }
export const done: Meaning = { as: 'done' }

export const kind = (number: number, name: string, ...faults: [Fault, ...Fault[]]): Kind => ({
  number,
  name,
  faults,
})

/** A fault of calls that arrive. It `isSlow` if it causes a timeout. */
export const fault = (name: string, means: Meaning, inject: (context: CallContext) => unknown): Fault => ({
  name,
  how: { inject },
  means,
  isSlow: means === timedOut,
})

/** A fault of the address. */
export const badEndpoint = (name: string, means: Meaning, endpoint: keyof BadEndpoints): Fault => ({
  name,
  how: { endpoint },
  means,
  isSlow: means === timedOut,
})

/** The envelope with other `data`. */
export function withData(envelope: JsonObject, change: (data: JsonObject) => JsonValue): JsonObject {
  // a valid envelope of a success
  return { ...envelope, data: change(envelope['data'] as JsonObject) }
}

/** The data with this value for `tenantId` in each resource that it writes. */
export function writing(data: JsonObject, tenantId: JsonValue): JsonObject {
  const locators = Object.keys(Object(data['resources']))
  return { ...data, resources: Object.fromEntries(locators.map((locator) => [locator, { tenantId }])) }
}
