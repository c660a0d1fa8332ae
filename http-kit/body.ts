import { TransportError } from './problem.ts'
import { readStrictJson } from './text/strict-json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { BODY_BYTES_MAX } from '#contract/protocol/limits.ts'

/**
 * Reads the whole body of a request; empty if there is none.
 *
 * @throws TransportError 413 as soon as more than `maxBytes` have arrived, 415 for a compressed body (a small one may
 * unpack to a huge one, and none of our callers compresses).
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new TransportError('UNSUPPORTED_MEDIA_TYPE', 'A compressed request body is not accepted')
  }
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes)
  if (announced !== null) {
    // Node's parser never delivers more than was announced, so the fast path is safe; the check is for other hosts.
    const bytes = new Uint8Array(await request.arrayBuffer().catch(cutOff))
    if (bytes.length > maxBytes) throw tooLarge(maxBytes)
    return bytes
  }
  return request.body === null ? new Uint8Array() : await collect(request.body, maxBytes)
}

/** A JSON body: the received bytes and the parsed value. */
export interface JsonBody {
  bytes: Uint8Array
  json: JsonValue
}

/**
 * Reads the JSON body of a request; undefined if there is none. Both servers use this function, so they accept the same
 * bodies.
 *
 * @throws TransportError as readBody does, and 415 if the type is not `application/json`; StrictJsonError.
 */
export async function readJsonBody(
  request: Request,
  maxBytes = BODY_BYTES_MAX,
): Promise<JsonBody | undefined> {
  const bytes = await readBody(request, maxBytes)
  if (bytes.length === 0) return undefined
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new TransportError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json')
  }
  return { bytes, json: readStrictJson(bytes) }
}

async function collect(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(cutOff)
    if (done) return Buffer.concat(chunks, size)
    size += value.length
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined)
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
}

function tooLarge(maxBytes: number): TransportError {
  return new TransportError('PAYLOAD_TOO_LARGE', `The request body exceeds the limit of ${maxBytes} bytes`)
}

function cutOff(): never {
  throw new TransportError('REQUEST_INVALID', 'The request body is incomplete')
}
