import { isDeepStrictEqual } from 'node:util'
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import fc from 'fast-check'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { parseRequest } from '#contract/endpoint/parse-request.ts'
import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { consoleApi } from '#contract/console-api/rows.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { parsePosition } from '#runtime/store/events.ts'
import { createActorCheck } from '#runtime/http/callers.ts'
import { idempotencyKeyOf, requestText } from '#runtime/http/read-request.ts'
import { billing } from '#runtime/testing/bundles.ts'
import { SAMPLE_BODIES } from '#runtime/testing/rows.ts'
import { DomainError } from '#runtime/engine/refusals.ts'
import { decodeCursor, encodeCursor } from '#runtime/use-cases/paging.ts'
import { edited, editedText } from './edits.ts'
import { bytes, structured } from './target.ts'
import type { Target } from './target.ts'

const rows: [string, EndpointRow][] = [...Object.entries(runtimeApi), ...Object.entries(consoleApi)]
const withQuery = rows.flatMap(([, row]) => (row.query === undefined ? [] : [row]))
const withBody = rows.flatMap(([name, row]) => (row.body === undefined ? [] : [{ name, body: row.body }]))

const QUERIES = [
  'limit=50&cursor=WyJhIl0',
  'state=FAILED,WAITING&since=2026-01-31T08:00:00.000Z&sort=-createdAt',
  'workspaceId=7&environmentKey=prod&q=a%20b',
  'bucket=minute&limit=200',
]

function wrongOfQuery([which, text]: [number, string]): string | null {
  const row = withQuery[which % withQuery.length]
  if (row === undefined) return null
  const result = parseRequest(row, { params: {}, query: new URLSearchParams(text), body: undefined })
  if (result.ok) return null
  return result.problems.some(({ message }) => message === '') ? 'a problem has no message' : null
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function wrongOfBody([which, json]: [number, JsonValue]): string | null {
  const row = withBody[which % withBody.length]
  if (row === undefined) return null
  const first = row.body.safeParse(json)
  if (!first.success) return null
  const again = row.body.safeParse(asJson(first.data))
  // compared as JSON, which does not distinguish -0 and 0
  const isSame = again.success && isDeepStrictEqual(asJson(again.data), asJson(first.data))
  return isSame ? null : `${row.name} is not stable`
}

function wrongOfCursor(text: string): string | null {
  for (const kinds of [['string'], ['string', 'string'], ['number', 'string'], ['number']] as const) {
    try {
      const values = decodeCursor(text, kinds)
      if (values.some((value, index) => typeof value !== kinds[index])) return 'values of a different type'
      // numbers in cursors are integers
      const isFinite = values.every((value) => typeof value === 'string' || Number.isFinite(value))
      if (isFinite && JSON.stringify(decodeCursor(encodeCursor(values), kinds)) !== JSON.stringify(values))
        return 'different once it is encoded again'
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }
  return null
}

function wrongOfPosition(text: string): string | null {
  const position = parsePosition(text)
  if (position === null) return null
  const isSafe = Number.isSafeInteger(position.eventId) && BigInt(position.xid) < 2n ** 64n
  return isSafe ? null : 'a position that no database can have'
}

function wrongOfKey(text: string): string | null {
  let headers: Headers
  try {
    headers = new Headers({ 'idempotency-key': text })
  } catch {
    return null
  }
  try {
    const key = idempotencyKeyOf(new Request('http://runtime.test/', { headers }))
    return key.length >= 1 && key.length <= 128 && !/[^A-Za-z0-9._~-]/.test(key)
      ? null
      : 'accepted an invalid key'
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

const reordered = (json: JsonValue): JsonValue =>
  isJsonObject(json)
    ? Object.fromEntries(
        Object.entries(json)
          .toReversed()
          .map(([key, value]) => [key, reordered(value)]),
      )
    : Array.isArray(json)
      ? json.map(reordered)
      : json

function wrongOfText([left, right]: [JsonValue, JsonValue]): string | null {
  const text = requestText(left)
  if (text !== requestText(reordered(left))) return 'it depends on the order of keys'
  const isSame = isDeepStrictEqual(asJson(left), asJson(right))
  return (text === requestText(right)) === isSame ? null : 'two bodies have the same text, or one has two'
}

const { privateKey, publicKey } = await generateKeyPair('EdDSA')
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bff', alg: 'EdDSA' }] })
const checkActor = createActorCheck(keys, {
  possibleTimes: () => [new Date()],
  refresh: () => Promise.resolve(),
})
const sign = (name: string): Promise<string> => {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ name, grants: [{ permissions: [...PERMISSIONS], scope: null }] })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'bff' })
    .setSubject('ada')
    .setAudience('bundle-runtime')
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(privateKey)
}
const good = await sign('Ada')
const other = await sign('Bob')
const [head = '', , signature = ''] = good.split('.')
const [, payload = ''] = other.split('.')
const none = Buffer.from('{"alg":"none"}').toString('base64url')

/** Only a signed actor is accepted. */
async function wrongOfAssertion(text: string): Promise<string | null> {
  let request: Request
  try {
    request = new Request('http://runtime.test/', { headers: { 'x-runtime-actor-assertion': text } })
  } catch {
    return null
  }
  try {
    const actor = await checkActor(request, 'request')
    const claims = text.trim().split('.')[1]
    const isSigned = [good, other].some((token) => token.split('.')[1] === claims)
    return isSigned && ['Ada', 'Bob'].includes(actor.name) ? null : 'accepted a token that was not signed'
  } catch (error) {
    if (error instanceof TransportError && error.status === 401) return null
    throw error
  }
}

const WITH_MINUS_ZERO = {
  ...billing,
  resources: billing.resources.map((resource) => ({
    ...resource,
    properties: { limit: { kind: 'DATA', schema: { type: 'number', ours: -0 } } },
  })),
} as JsonValue

export const REQUEST_TARGETS: readonly Target[] = [
  structured(
    'bodies of every endpoint',
    fc.tuple(fc.nat(withBody.length - 1), edited(Object.values(SAMPLE_BODIES))),
    wrongOfBody,
    {
      share: 2,
      regressions: [[withBody.findIndex(({ name }) => name.startsWith('PUT /bundles/')), WITH_MINUS_ZERO]],
    },
  ),
  structured(
    'text of a request',
    fc.tuple(edited(Object.values(SAMPLE_BODIES)), edited(Object.values(SAMPLE_BODIES))),
    wrongOfText,
  ),
  bytes('query strings', fc.tuple(fc.nat(withQuery.length - 1), editedText(QUERIES)), wrongOfQuery, {
    share: 2,
  }),
  bytes('cursors', editedText([['a'], ['a', 'b'], [1, 'a'], [2 ** 53]].map(encodeCursor)), wrongOfCursor),
  bytes(
    'cursors of odd values',
    editedText(['["a"]', '["a","b"]', '[1,"a"]', '[1e999]']).map((json) =>
      Buffer.from(json).toString('base64url'),
    ),
    wrongOfCursor,
  ),
  bytes(
    'Last-Event-ID',
    editedText(['731-12', '731-12-1700000000000000', '9999999999999999999-1', '0-0']),
    wrongOfPosition,
  ),
  bytes('idempotency keys', editedText(['0190a000-0000-7000-8000-000000000001', 'a~b.c_d']), wrongOfKey),
  bytes(
    'actor assertions',
    editedText([good, `${head}.${payload}.${signature}`, `${none}.${payload}.`, `${good}, ${other}`]),
    wrongOfAssertion,
    { share: 0.3 },
  ),
]
