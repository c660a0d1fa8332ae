import { isWrite } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { encodeCursor } from '#runtime/use-cases/paging.ts'
import { SeededRandom } from '../seeded-random.ts'
import { editJson, editText } from './edits.ts'
import { ODD_TEXTS } from './odd-values.ts'

// The same malformed requests for every endpoint row of the contract, including rows that are added later.

export interface RawRequest {
  method: string
  path: string
  body?: string | Uint8Array<ArrayBuffer>
  /** Replaces the usual headers; null leaves one out. */
  headers?: Record<string, string | null>
}

/** An edited request may happen to be valid; then it need not be rejected. */
export interface FuzzedRequest extends RawRequest {
  what: string
  mustBeRefused: boolean
}

export interface Endpoint {
  name: EndpointName
  row: EndpointRow
  method: string
  /** A valid body. */
  sample: JsonObject
  /** The path of existing objects, with other parameters where they are given. */
  path(params?: Record<string, string>): string
}

const MEBIBYTE = 1024 * 1024
const FIELD_VALUES: readonly JsonValue[] = [
  null,
  true,
  -1.5,
  1e300,
  'x'.repeat(5000),
  '\0',
  '\ud800',
  [],
  [[]],
  {},
  { '': null },
]
const NO_JSON_OBJECT = ['', ' ', 'null', 'true', '1', '""', '[]', '[{}]', '{', '}', 'NaN', "{'a':1}"]

/** Members that no body may have, as JSON text. */
const MEMBERS: Readonly<Record<string, string>> = {
  'a __proto__': '"__proto__":{"polluted":true}',
  'a constructor': '"constructor":{"prototype":{"polluted":true}}',
  'a duplicate key': '"extra":1,"extra":1',
  NUL: '"extra":"\\u0000"',
  'half a surrogate pair': '"extra":"\\ud800"',
  'a number that loses digits': '"extra":9007199254740993',
  'a number out of range': '"extra":1e999',
  deep: `"extra":${'['.repeat(5000)}${']'.repeat(5000)}`,
  wide: Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(),
  huge: `"extra":"${'x'.repeat(3 * MEBIBYTE)}"`,
}

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'content-type': [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ],
  'content-encoding': ['gzip', 'br', 'deflate', 'identity, gzip', 'x'],
  'idempotency-key': ['a b', 'x'.repeat(200), '', 'é', '"k"'],
  'x-runtime-actor-assertion': ['', 'x', 'a.b.c', 'x'.repeat(10_000)],
}

/** Requests that no endpoint may accept: wrong bodies, headers and fields. */
export function* malformedRequests({ name, row, method, sample, path }: Endpoint): Generator<FuzzedRequest> {
  const text = JSON.stringify(sample)
  const rest = text === '{}' ? '' : `,${text.slice(1, -1)}`
  const request = { method, path: path(), mustBeRefused: true }
  for (const body of [...NO_JSON_OBJECT, `${text}${text}`, `${text},`])
    // an empty body is right for an endpoint without one
    if (body !== '' || row.body !== undefined) yield { ...request, what: `body ${body.slice(0, 20)}`, body }
  for (const [what, member] of Object.entries(MEMBERS)) yield { ...request, what, body: `{${member}${rest}}` }
  yield { ...request, what: 'deep and truncated', body: `{"extra":${'['.repeat(100_000)}` }
  const byteBodies = {
    'a byte order mark': Buffer.from(`\ufeff${text}`),
    'invalid UTF-8': [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
    'UTF-16': Buffer.from(text, 'utf16le'),
  }
  for (const [what, body] of Object.entries(byteBodies))
    yield { ...request, what, body: new Uint8Array(body) }
  for (const [header, values] of Object.entries(HEADERS)) {
    if (header === 'content-type' && row.body === undefined) continue
    // an endpoint that writes nothing ignores the key
    const mustBeRefused = header !== 'idempotency-key' || isWrite(name, row)
    for (const value of values) {
      const what = `${header} ${value.slice(0, 20)}`
      yield { ...request, mustBeRefused, what, body: text, headers: { [header]: value } }
    }
  }
  if (row.body === undefined) return
  for (const field of [...Object.keys(sample), 'extra']) {
    const { [field]: _, ...others } = sample
    const bodies = FIELD_VALUES.map((value) => ({ ...sample, [field]: value }))
    for (const body of [...bodies, others])
      if (!row.body.safeParse(body).success) {
        const what = `${field} as ${JSON.stringify(body[field])?.slice(0, 20)}`
        yield { ...request, what, body: JSON.stringify(body) }
      }
  }
}

const UUID = '0190a000-0000-7000-8000-000000000001'
const CURSORS: readonly (string | number)[][] = [
  [],
  ['a'],
  [1],
  ['a', 'a'],
  [1, 'a'],
  [1e300],
  [1.5],
  [1.5, 'a'],
  [2 ** 53, 'a'],
  [-1, UUID],
  ['2026-01-31T08:00:00.000Z', 'a'],
  ['a', UUID],
  ['infinity', UUID],
  ['9999999-01-01', 'x'],
  ['a', 'a', 1],
  ['a', 'a', 1.5],
  ['a', 'a', 1e300],
  ['\ud800'],
  ['\ud800', 'a', 1],
]
const QUERIES = ['%', '%zz=1', '=', '&&&', 'a[b]=c', `q=${'x'.repeat(8000)}`, 'limit=1&limit=2']
const EVENT_IDS = [
  'x',
  '0',
  '-1',
  '731',
  '99999999999999999999-1',
  '1-99999999999999999999',
  '\u00ff',
  '1-1\t',
]

/** Odd values in every parameter of a path and of a query, and in Last-Event-ID. They may be accepted. */
export function* oddRequests(endpoint: Endpoint, offset: number): Generator<FuzzedRequest> {
  const { row, method, sample, path } = endpoint
  const body = row.body === undefined ? {} : { body: JSON.stringify(sample) }
  const request = { method, ...body, mustBeRefused: false }
  const query = (what: string, text: string) => ({ ...request, path: `${path()}?${text}`, what })
  // every third, with a different offset for each endpoint: together they use all of them
  for (const odd of ODD_TEXTS.filter((_, index) => index % 3 === offset % 3)) {
    const text = odd.toWellFormed()
    for (const param of Object.keys(row.params?.shape ?? {}))
      if (!['', '.', '..'].includes(text))
        yield { ...request, path: path({ [param]: text }), what: `odd ${param}` }
    for (const field of Object.keys(row.query?.shape ?? {}))
      yield query(`odd ${field}`, new URLSearchParams({ [field]: text }).toString())
  }
  if (row.query !== undefined && 'cursor' in row.query.shape)
    for (const values of CURSORS)
      for (const sort of ['', ...sortsOf(row).map((name) => `&sort=${name}`)])
        yield query(`cursor of ${JSON.stringify(values)}`, `cursor=${encodeCursor(values)}${sort}`)
  for (const text of QUERIES) yield query('odd query', text)
  for (const id of EVENT_IDS)
    yield { ...request, path: path(), headers: { 'last-event-id': id }, what: 'odd Last-Event-ID' }
}

/** The names that a list can be sorted by, from the schema's message for a wrong one. */
function sortsOf(row: EndpointRow): string[] {
  const parsed = row.query?.safeParse({ sort: 'nonsense' })
  const issue = parsed?.error?.issues.find(({ path }) => path[0] === 'sort')
  return issue?.code === 'invalid_value' ? issue.values.map(String) : []
}

/** The sample after some edits, as a document or as text. */
export function* editedRequests(endpoint: Endpoint, seed: number, count: number): Generator<FuzzedRequest> {
  const { row, method, sample, path } = endpoint
  if (row.body === undefined) return
  const random = new SeededRandom(seed)
  for (let index = 0; index < count; index++) {
    let json: JsonValue = structuredClone(sample)
    for (let edit = random.below(3); edit >= 0; edit--) json = editJson(json, random.below(2 ** 31))
    const text = JSON.stringify(json)
    const isText = random.below(3) === 0
    const body = (isText ? editText(text, random.below(2 ** 31)) : text).toWellFormed()
    const mustBeRefused = !isText && !row.body.safeParse(json).success
    yield { method, path: path(), body, what: `edited to ${body.slice(0, 300)}`, mustBeRefused }
  }
}
