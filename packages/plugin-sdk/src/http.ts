import { CollectedBytes } from '../../../contract/protocol/collected-bytes.ts'
import { parseTrustedJson } from '../../../contract/protocol/strict-json.ts'
import { failureEnvelope } from '../../../contract/protocol/envelope.ts'
import { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { VALUE_DEPTH_MAX } from '../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { truncate } from './answer.ts'
import { sdkFailure, type PluginFailure } from './result.ts'
import { KeysUnavailable, TokenRefused } from './token.ts'

/** A request that is refused before an envelope is built: the HTTP status and a problem body describe the reason. */
export class TransportRefusal extends Error {
  override readonly name = 'TransportRefusal'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The TransportRefusal for an error, or null if the error belongs into an envelope. */
export function problemOf(error: unknown): TransportRefusal | null {
  if (error instanceof TransportRefusal) return error
  if (error instanceof TokenRefused)
    return new TransportRefusal(401, 'AUTHENTICATION_REQUIRED', error.message)
  if (error instanceof KeysUnavailable) return new TransportRefusal(503, 'SERVICE_UNAVAILABLE', error.message)
  return null
}

/** A request as a handler reads it, so that a server without fetch objects need not make them: they cost more than the rest. */
export interface HttpCall {
  method: string
  /** The path or the address. */
  url: string
  /** By name in lower case; null if it is absent. */
  header(name: string): string | null
  /** The body; null if it has more bytes than this. Rejects if the caller does not send all of it. */
  read(maxBytes: number): Promise<Uint8Array | null>
}

/** What a handler sends. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Handles requests of any server. */
export type HttpHandler = (call: HttpCall) => Promise<HttpAnswer>

const direct = new WeakMap<object, HttpHandler>()

/** The fetch-style form of a handler. `directHandlerOf` finds the handler behind it. */
export function toFetchHandler(handle: HttpHandler): (request: Request) => Promise<Response> {
  const fetchHandler = async (request: Request): Promise<Response> => {
    const { status, headers, body } = await handle(fetchCall(request))
    return new Response(body, { status, headers })
  }
  direct.set(fetchHandler, handle)
  return fetchHandler
}

/** The handler behind a fetch-style one of this SDK, or null. */
export const directHandlerOf = (fetchHandler: object): HttpHandler | null => direct.get(fetchHandler) ?? null

const fetchCall = (request: Request): HttpCall => ({
  method: request.method,
  url: request.url,
  header: (name) => request.headers.get(name),
  read: (maxBytes) => readFetchBody(request, maxBytes),
})

/** A body that announces no more is read faster, which keeps its pieces. */
const AT_ONCE_BYTES = 64 * 1024

async function readFetchBody(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const announced = Number(request.headers.get('content-length') ?? Infinity)
  if (announced <= Math.min(maxBytes, AT_ONCE_BYTES)) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    // not every host checks the length
    return bytes.byteLength <= maxBytes ? bytes : null
  }
  const collected = new CollectedBytes()
  for await (const chunk of request.body ?? []) {
    if (collected.length + chunk.byteLength > maxBytes) return null
    collected.add(chunk)
  }
  return collected.whole()
}

/** Reads the body as bytes. Throws a TransportRefusal for another method, another type, or more than `maxBytes`. */
export async function readBody(call: HttpCall, maxBytes: number): Promise<Uint8Array> {
  if (call.method !== 'POST')
    throw new TransportRefusal(405, 'METHOD_NOT_ALLOWED', 'The request must be a POST')
  const type = call.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new TransportRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'The request must be application/json')
  const bytes = await call.read(maxBytes).catch(() => {
    // nobody waits for this response
    throw new TransportRefusal(400, 'REQUEST_INVALID', 'The request ended before its body was complete')
  })
  if (bytes === null)
    throw new TransportRefusal(413, 'CONTENT_TOO_LARGE', `The request must have at most ${maxBytes} bytes`)
  return bytes
}

// The request itself adds a few levels around a business value.
const DEPTH_MAX = VALUE_DEPTH_MAX + 8
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a lifecycle request strictly: no missing and no unknown fields. Throws a REQUEST_INVALID that names the field. */
export function readLifecycleRequest(body: Uint8Array): LifecycleRequest {
  const reading = LifecycleRequest.safeParse(parseJson(body))
  if (reading.success) return reading.data
  const issue = reading.error.issues[0]
  const path = issue?.path.join('.') ?? ''
  throw invalid(`${path === '' ? 'The request' : path}: ${issue?.message ?? 'is not valid'}`)
}

/** Parses a body as JSON of limited depth. Throws a REQUEST_INVALID. */
export function parseJson(body: Uint8Array): JsonValue {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw invalid('The body is not UTF-8')
  }
  // Checked before parsing: JSON.parse accepts a million nested lists, but code that traverses them may not.
  if (nestsDeeperThan(text, DEPTH_MAX)) throw invalid(`The body nests deeper than ${DEPTH_MAX} levels`)
  try {
    // JSON.parse returns nothing else
    return parseTrustedJson(text) as JsonValue
  } catch {
    throw invalid('The body is not JSON')
  }
}

function nestsDeeperThan(text: string, max: number): boolean {
  // most documents do not even have that many brackets
  if (hasAtMost(text, '{', max / 2) && hasAtMost(text, '[', max / 2)) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '[' || char === '{') {
      if (++depth > max) return true
    } else if (char === ']' || char === '}') depth--
  }
  return false
}

function hasAtMost(text: string, character: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1))
    if (++count > most) return false
  return true
}

const invalid = (message: string): PluginFailure => sdkFailure('REQUEST_INVALID', truncate(message))

/** A response with an envelope, always with status 200. */
export const envelopeAnswer = (body: string): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body,
})

type FailureFields = Pick<PluginFailure, 'errorCode' | 'message' | 'retryable'>

/** A response with a failure envelope, whose errorPath names this plugin. */
export const failureAnswer = (pluginId: string, { errorCode, message, retryable }: FailureFields) =>
  envelopeAnswer(JSON.stringify(failureEnvelope(errorCode, { message, retryable, errorPath: [pluginId] })))

/** The RFC 9457 response for a refusal, with the headers that its status requires. */
export const problemAnswer = ({ status, code, message }: TransportRefusal): HttpAnswer => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 405 ? { allow: 'POST' } : {}),
  },
  body: JSON.stringify({ status, code, title: message }),
})
