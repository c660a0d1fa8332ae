import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'

/** Stands in what must never be kept; no honest answer holds it. */
export const POISON = 'POISON-must-not-be-kept'

/** Addresses at which there is no plugin. */
export interface BadPlaces {
  unknownHost: string
  closedPort: string
  blackHole: string
  plainAtHttps: string
  breaksHandshake: string
  resetsAtOnce: string
  /** Nothing may ever arrive there. */
  witness: string
}

/** One call that arrived at the hostile plugin, and all that a fault may do with it. */
export interface Wire {
  request: LifecycleRequest
  socket: Socket
  response: ServerResponse
  /** Where things go wrong, by name. */
  places: BadPlaces
  /** Does the plugin's part, or remembers that it is done, and gives the envelope that a good plugin answers. */
  act(): JsonObject
  /** The plugin loses its memory, not what it made. */
  forget(): void
  json(body: JsonValue): void
  /** Resolves when the operation that is called for has ended. */
  ended: Promise<void>
  /** Has another worker's claim come over the operation, so that the answer to this call comes too late. */
  loseLease(): Promise<void>
}

/** What decisions and docs/protocol.md say that the fault means for the operation. */
export type Meaning =
  /** Uncertain, or retryable by the plugin's own word: the same bytes again. `lastCode` when it never gets better. */
  | { as: 'repeat'; code: string; status: number | null; lastCode: string }
  | { as: 'failed'; code: string; retryable: boolean }
  | { as: 'done' }
  /** The worker had lost the operation: recorded as late, and asked again. */
  | { as: 'late' }

export interface Fault {
  name: string
  /** `strike` answers a call; `place` is where the plugin seems to be while the fault lasts. */
  how: { strike: (wire: Wire) => unknown } | { place: keyof BadPlaces }
  means: Meaning
  /** The fault is that nothing comes: the time limit of the plugin is short. */
  isSlow?: true
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
export const invalid: Meaning = { as: 'failed', code: 'PLUGIN_RESPONSE_INVALID', retryable: false }
export const done: Meaning = { as: 'done' }
