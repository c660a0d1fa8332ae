import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler, Context } from 'hono'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { systemClock } from './clock.ts'
import { CollectedBytes } from '#contract/protocol/collected-bytes.ts'
import { TransportError } from './problem-response.ts'
import { uuidv7, systemRandom } from './random.ts'
import { readStrictJson } from './text/strict-json.ts'

export interface RequestIdVariables {
  requestId: string
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Gives each request an id: `c.var.requestId` and the response header `X-Request-Id`.
 *
 * `trustInbound` keeps a well-formed id that the caller sent. Only the runtime sets it, whose only caller is the BFF:
 * an id chosen by a browser could forge the trail in logs and audit.
 */
export function requestId({
  trustInbound,
}: {
  trustInbound: boolean
}): MiddlewareHandler<{ Variables: RequestIdVariables }> {
  return async (c, next) => {
    const inbound = trustInbound ? c.req.header('x-request-id') : undefined
    const id =
      inbound !== undefined && WELL_FORMED.test(inbound)
        ? inbound
        : uuidv7({ clock: systemClock, random: systemRandom })
    c.set('requestId', id)
    await next()
    // not c.header, which rebuilds the whole response
    c.res.headers.set('X-Request-Id', id)
  }
}

const SEGMENTS = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})*)+$/
/** Slashes, backslashes, control characters, and the unreserved characters of RFC 3986, which never need escaping. */
const FORBIDDEN_ESCAPE = /%(?:2[def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef]|[01][0-9a-f])/i

/**
 * Whether a request target can be interpreted in only one way, so that router, permission check and upstream agree on
 * it. Rejected: absolute form, `//`, `.` and `..` segments, encoded letters, digits, `-`, `.`, `_`, `~`,
 * slashes, backslashes and control characters, raw `;`, `\` and non-ASCII, escapes that are not valid UTF-8, and a
 * known first segment in another letter case.
 */
export function isCanonicalTarget(target: string, prefixes: readonly string[]): boolean {
  const path = target.split('?', 1)[0] ?? ''
  if (!SEGMENTS.test(path) || FORBIDDEN_ESCAPE.test(path) || target.includes('#')) return false
  const segments = path.split('/').slice(1)
  const hasEmptySegment = segments.some((segment, index) => segment === '' && index < segments.length - 1)
  if (hasEmptySegment || segments.includes('.') || segments.includes('..')) return false
  const first = segments[0] ?? ''
  if (!prefixes.includes(first) && prefixes.includes(first.toLowerCase())) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * Responds with 404, before routing, to every target that is not canonical: nothing has such an address. `prefixes` are
 * the known first segments, in lower case. `orElse` may give another response, with the status 404.
 */
export function canonicalPath({
  prefixes,
  orElse,
}: {
  prefixes: readonly string[]
  orElse?: (c: Context) => Response | null
}): MiddlewareHandler {
  return async (c, next) => {
    // URL parsing resolves dot segments, so the raw target of the request line is checked
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
    if (!isCanonicalTarget(incoming?.url ?? targetOf(c.req.raw.url), prefixes)) {
      const other = orElse?.(c) ?? null
      if (other !== null) return other
      throw new TransportError('NOT_FOUND', 'There is nothing at this path. Check the spelling.')
    }
    return next()
  }
}

function targetOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/**
 * Reads the whole body of a request; empty if there is none.
 *
 * @throws TransportError 413 as soon as more than `maxBytes` have arrived, or very many small pieces, 415 for a compressed body (a
 * small one may unpack to a huge one, and none of our callers compresses).
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new TransportError('UNSUPPORTED_MEDIA_TYPE', 'A compressed request body is not accepted')
  }
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes)
  if (announced !== null && Number(announced) <= SMALL_BYTES) {
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
 * @param onRead gets the size of the body before it is parsed; may throw.
 * @throws TransportError as readBody does, and 415 if the type is not `application/json`; StrictJsonError.
 */
export async function readJsonBody(
  request: Request,
  maxBytes = BODY_BYTES_MAX,
  onRead: (bytes: number) => void = () => undefined,
): Promise<JsonBody | undefined> {
  const bytes = await readBody(request, maxBytes)
  onRead(bytes.length)
  if (bytes.length === 0) return undefined
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new TransportError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json')
  }
  return { bytes, json: readStrictJson(bytes) }
}

/**
 * How many pieces of any size a body may have (a client may stream a document line by line), and how large the others are on
 * average: each piece costs as much as a kilobyte.
 */
const SMALL_PIECES_MAX = 4_000
const PIECE_BYTES = 256
/** A body that announces no more is read in half the time, which keeps its pieces: at most this many. */
const SMALL_BYTES = 1024

async function collect(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const bytes = new CollectedBytes()
  const reader = body.getReader()
  const refuse = async (refusal: TransportError): Promise<never> => {
    await reader.cancel().catch(() => undefined)
    throw refusal
  }
  for (let pieces = 1; ; pieces++) {
    const { done, value } = await reader.read().catch(cutOff)
    if (done) return bytes.whole()
    if (bytes.length + value.length > maxBytes) return refuse(tooLarge(maxBytes))
    bytes.add(value)
    if (pieces > SMALL_PIECES_MAX + bytes.length / PIECE_BYTES) return refuse(tooManyPieces())
  }
}

function tooLarge(maxBytes: number): TransportError {
  return new TransportError('PAYLOAD_TOO_LARGE', `The request body exceeds the limit of ${maxBytes} bytes`)
}

function tooManyPieces(): TransportError {
  const problem = `The request body comes in too many pieces of less than ${PIECE_BYTES} bytes`
  return new TransportError('PAYLOAD_TOO_LARGE', `${problem}. Send it in larger pieces.`)
}

function cutOff(): never {
  throw new TransportError('REQUEST_INVALID', 'The request body is incomplete')
}
