import { failureEnvelope } from '../../../contract/protocol/envelope.ts'
import { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { VALUE_DEPTH_MAX } from '../../../contract/json-schema/limits.ts'
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

/** Reads the body as bytes. Throws a TransportRefusal for another method, another type, or more than `maxBytes`. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.method !== 'POST')
    throw new TransportRefusal(405, 'METHOD_NOT_ALLOWED', 'The request must be a POST')
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new TransportRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'The request must be application/json')
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes)
      throw new TransportRefusal(413, 'CONTENT_TOO_LARGE', `The request must have at most ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
    return JSON.parse(text) as JsonValue
  } catch {
    throw invalid('The body is not JSON')
  }
}

function nestsDeeperThan(text: string, max: number): boolean {
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

const invalid = (message: string): PluginFailure => sdkFailure('REQUEST_INVALID', truncate(message))

/** A response with an envelope, always with status 200. */
export const envelopeResponse = (body: string): Response =>
  new Response(body, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })

type FailureFields = Pick<PluginFailure, 'errorCode' | 'message' | 'retryable'>

/** A response with a failure envelope, whose errorPath names this plugin. */
export const failureResponse = (pluginId: string, { errorCode, message, retryable }: FailureFields) =>
  envelopeResponse(JSON.stringify(failureEnvelope(errorCode, { message, retryable, errorPath: [pluginId] })))

/** The RFC 9457 response for a refusal, with the headers that its status requires. */
export const problemResponse = ({ status, code, message }: TransportRefusal): Response =>
  new Response(JSON.stringify({ status, code, title: message }), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 405 ? { allow: 'POST' } : {}),
    },
  })
