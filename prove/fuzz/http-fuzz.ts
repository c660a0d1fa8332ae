import { sql } from 'kysely'
import { fillPath, isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { JsonObject, JsonValue } from '#contract/protocol/json.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { createLog } from '#edge/log.ts'
import { CREDENTIAL, testHttp } from '#runtime/http/testing-http.ts'
import type { TestHttp } from '#runtime/http/testing-http.ts'
import { SAMPLE_BODIES, SAMPLE_PARAMS } from '#runtime/http/testing-rows.ts'
import { encodeCursor } from '#runtime/store/cursor.ts'
import { billing, SCOPE } from '#runtime/testing-bundles.ts'
import type { Violation } from '../suite.ts'
import { SeededRandom } from '../seeded-random.ts'
import { editJson, editText } from './edits.ts'
import { ODD_TEXTS } from './odd-values.ts'

// The same malformed requests to every endpoint row of the contract, also to rows that are added later. Each is answered
// with a failure envelope or a problem, never with an internal error, and writes nothing.

const ROWS = Object.entries(runtimeApi) as [EndpointName, EndpointRow][]

interface RawRequest {
  method: string
  path: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string | null>
}

/** An edited request may happen to be valid, and then need not be refused. */
type FuzzedRequest = RawRequest & { what: string; mustBeRefused: boolean }

class HttpFuzzer {
  readonly http: TestHttp
  readonly violations: Violation[] = []
  requests = 0
  private assertion: { text: string; at: number } | null = null
  private keys = 0
  private readonly ids: Record<string, string>

  constructor(http: TestHttp, ids: Record<string, string>) {
    this.http = http
    this.ids = ids
  }

  path(name: EndpointName, params: Record<string, string | number> = {}): string {
    return fillPath(splitName(name).path, { ...SAMPLE_PARAMS, ...this.ids, ...params })
  }

  async send({ what, mustBeRefused, ...request }: FuzzedRequest): Promise<void> {
    this.requests++
    const problem = await this.problemOf(request, mustBeRefused)
    if (problem !== null)
      this.violations.push({
        promise: `${request.method} ${request.path}`.slice(0, 160),
        seen: `${what}: ${problem}`,
      })
  }

  private async problemOf(request: RawRequest, mustBeRefused: boolean): Promise<string | null> {
    let headers: Headers
    try {
      headers = await this.headersOf(request)
    } catch {
      // a client cannot send such a header
      return null
    }
    const { method, path, body } = request
    const response = await this.http.send(`/bundle-runtime/api${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    // an event stream is a success, and does not end
    if (response.headers.get('content-type') === 'text/event-stream') {
      await response.body?.cancel()
      return null
    }
    const text = await response.text()
    const { status } = response
    if (status >= 500) return `answered ${status}`
    const json: unknown = JSON.parse(text)
    const { errorCode, code } = Object(json) as { errorCode?: unknown; code?: unknown }
    if (status !== 200) return typeof code === 'string' ? null : `${status} without a problem`
    if (typeof errorCode !== 'string') return 'answered without an envelope'
    return mustBeRefused && errorCode === '0' ? 'was accepted' : null
  }

  private async headersOf({ method, headers = {}, body }: RawRequest): Promise<Headers> {
    if (this.assertion === null || Date.now() - this.assertion.at > 20_000)
      this.assertion = { text: await this.http.assertion(), at: Date.now() }
    const all: Record<string, string | null> = {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': this.assertion.text,
      'idempotency-key': method === 'GET' ? null : `fuzz-${this.keys++}`,
      'content-type': body === undefined ? null : 'application/json',
      ...headers,
    }
    const set = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
    return new Headers(set)
  }

  /** The content of every table that a refused request must not change, as hashes. */
  async hashTables(): Promise<string> {
    const { db } = this.http.runtime.world
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'runtime' and table_type = 'BASE TABLE'
        and table_name not in ('idempotency', 'signing_key') and table_name not like 'audit%'
      order by 1`.execute(db)
    const hashes: string[] = []
    for (const { name } of rows) {
      const content = await sql<{ hash: string }>`
        select md5(coalesce(string_agg(row::text, ' ' order by row::text), '')) as hash
        from ${sql.table(`runtime.${name}`)} as row`.execute(db)
      hashes.push(`${name} ${content.rows[0]?.hash}`)
    }
    return hashes.join('\n')
  }
}

const TYPES: readonly JsonValue[] = [
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
const MEBIBYTE = 1024 * 1024

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

/** Bodies that no endpoint accepts. */
function malformedBodies(
  sample: JsonObject,
): { what: string; body: string | Uint8Array<ArrayBuffer>; headers?: RawRequest['headers'] }[] {
  const text = JSON.stringify(sample)
  const inside = text === '{}' ? '' : `,${text.slice(1, -1)}`
  return [
    ...[
      '',
      ' ',
      'null',
      'true',
      '1',
      '""',
      '[]',
      '[{}]',
      '{',
      '}',
      `${text}${text}`,
      `${text},`,
      'NaN',
      "{'a':1}",
    ].map((body) => ({ what: `body ${body.slice(0, 20)}`, body })),
    { what: '__proto__', body: `{"__proto__":{"polluted":true}${inside}}` },
    { what: 'constructor', body: `{"constructor":{"prototype":{"polluted":true}}${inside}}` },
    { what: 'a duplicate key', body: `{"extra":1,"extra":1${inside}}` },
    { what: 'NUL', body: `{"extra":"\\u0000"${inside}}` },
    { what: 'half a surrogate pair', body: `{"extra":"\\ud800"${inside}}` },
    { what: 'a number that loses digits', body: `{"extra":9007199254740993${inside}}` },
    { what: 'a number out of range', body: `{"extra":1e999${inside}}` },
    { what: 'deep', body: `{"extra":${'['.repeat(5000)}${']'.repeat(5000)}${inside}}` },
    { what: 'deep and truncated', body: `{"extra":${'['.repeat(100_000)}` },
    {
      what: 'wide',
      body: `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join()}${inside}}`,
    },
    { what: 'huge', body: JSON.stringify({ ...sample, extra: 'x'.repeat(3 * MEBIBYTE) }) },
    { what: 'a byte order mark', body: bytes(`\ufeff${text}`) },
    { what: 'invalid UTF-8', body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
    { what: 'UTF-16', body: new Uint8Array(Buffer.from(text, 'utf16le')) },
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ].map((type) => ({ what: `content type ${type}`, body: text, headers: { 'content-type': type } })),
    ...['gzip', 'br', 'deflate', 'identity, gzip', 'x'].map((encoding) => ({
      what: `content encoding ${encoding}`,
      body: text,
      headers: { 'content-encoding': encoding },
    })),
    ...['a b', 'x'.repeat(200), '', 'é', '"k"'].map((key) => ({
      what: `idempotency key ${key.slice(0, 10)}`,
      body: text,
      headers: { 'idempotency-key': key },
    })),
    ...['', 'x', 'a.b.c', 'x'.repeat(10_000)].map((assertion) => ({
      what: 'an invalid assertion',
      body: text,
      headers: { 'x-runtime-actor-assertion': assertion },
    })),
  ]
}

async function sendMalformed(fuzzer: HttpFuzzer, name: EndpointName, row: EndpointRow): Promise<void> {
  const { method } = splitName(name)
  const path = fuzzer.path(name)
  const sample = SAMPLE_BODIES[name] ?? {}
  for (const { what, body, headers = {} } of malformedBodies(sample)) {
    const isAboutKey = 'idempotency-key' in headers
    // valid where the endpoint has no body
    if (row.body === undefined && (body === '' || 'content-type' in headers)) continue
    // an endpoint that writes nothing ignores the key
    const mustBeRefused = isAboutKey ? isWrite(name, row) : true
    await fuzzer.send({ method, path, body, headers, what, mustBeRefused })
  }
  if (row.body === undefined) return
  for (const field of [...Object.keys(sample), 'extra']) {
    for (const value of TYPES) {
      const body = { ...sample, [field]: value }
      if (row.body.safeParse(body).success) continue
      const what = `${field} as ${JSON.stringify(value).slice(0, 20)}`
      await fuzzer.send({ method, path, body: JSON.stringify(body), what, mustBeRefused: true })
    }
    const { [field]: _, ...rest } = sample
    if (row.body.safeParse(rest).success) continue
    await fuzzer.send({ method, path, body: JSON.stringify(rest), what: `no ${field}`, mustBeRefused: true })
  }
}

const CURSORS: readonly (string | number)[][] = [
  [],
  ['a'],
  [1],
  ['a', 'a'],
  ['2026-01-31T08:00:00.000Z', 'a'],
  ['a', '0190a000-0000-7000-8000-000000000001'],
  ['infinity', '0190a000-0000-7000-8000-000000000001'],
  ['9999999-01-01', 'x'],
  [1, 'a'],
  [-1, '0190a000-0000-7000-8000-000000000001'],
  [2 ** 53, 'a'],
  [1e300],
  [1.5],
  [1.5, 'a'],
  ['a', 'a', 1],
  ['a', 'a', 1.5],
  ['a', 'a', 1e300],
  ['\ud800'],
  ['\ud800', 'a', 1],
]

/** Odd values in every parameter of a path and of a query. */
async function sendOddParameters(
  fuzzer: HttpFuzzer,
  name: EndpointName,
  row: EndpointRow,
  from: number,
): Promise<void> {
  const { method } = splitName(name)
  const body = JSON.stringify(SAMPLE_BODIES[name])
  const sent = { method, ...(row.body !== undefined && { body }), mustBeRefused: false }
  // every third, with a different start for each row: together they use all of them
  const texts = ODD_TEXTS.filter((_, index) => index % 3 === from % 3)
  for (const text of texts.map((odd) => odd.toWellFormed())) {
    for (const param of Object.keys(row.params?.shape ?? {})) {
      if (text === '' || text === '.' || text === '..') continue
      await fuzzer.send({ ...sent, path: fuzzer.path(name, { [param]: text }), what: `odd ${param}` })
    }
    for (const field of Object.keys(row.query?.shape ?? {})) {
      const query = new URLSearchParams({ [field]: text }).toString()
      await fuzzer.send({ ...sent, path: `${fuzzer.path(name)}?${query}`, what: `odd ${field}` })
    }
  }
  if (row.query !== undefined && 'cursor' in row.query.shape) {
    for (const values of CURSORS) {
      const cursor = encodeCursor(values)
      for (const sort of ['', ...sortsOf(row)]) {
        const query = `?cursor=${cursor}${sort === '' ? '' : `&sort=${sort}`}`
        await fuzzer.send({
          ...sent,
          path: fuzzer.path(name) + query,
          what: `cursor of ${JSON.stringify(values)}`,
        })
      }
    }
  }
  for (const query of ['?%', '?%zz=1', '?=', '?&&&', '?a[b]=c', `?q=${'x'.repeat(8000)}`, '?limit=1&limit=2'])
    await fuzzer.send({ ...sent, path: fuzzer.path(name) + query, what: 'odd query' })
  for (const value of [
    'x',
    '0',
    '-1',
    '731',
    '99999999999999999999-1',
    '1-99999999999999999999',
    '\u00ff',
    '1-1\t',
  ])
    await fuzzer.send({
      ...sent,
      path: fuzzer.path(name),
      headers: { 'last-event-id': value },
      what: 'odd Last-Event-ID',
    })
}

/** The names that a list can be sorted by, from the schema's message for a wrong one. */
function sortsOf(row: EndpointRow): string[] {
  const parsed = row.query?.safeParse({ sort: 'nonsense' })
  const issue = parsed?.error?.issues.find(({ path }) => path[0] === 'sort')
  return issue?.code === 'invalid_value' ? issue.values.map(String) : []
}

async function sendEdited(
  fuzzer: HttpFuzzer,
  name: EndpointName,
  row: EndpointRow,
  options: { seed: number; edits: number },
): Promise<void> {
  if (row.body === undefined) return
  const { method } = splitName(name)
  const random = new SeededRandom(options.seed)
  for (let count = 0; count < options.edits; count++) {
    let json: JsonValue = structuredClone(SAMPLE_BODIES[name] ?? {})
    for (let edit = random.below(3); edit >= 0; edit--) json = editJson(json, random.below(2 ** 31))
    const text = JSON.stringify(json)
    const isText = random.below(3) === 0
    const body = isText ? editText(text, random.below(2 ** 31)) : text
    const mustBeRefused = !isText && !row.body.safeParse(json).success
    await fuzzer.send({
      method,
      path: fuzzer.path(name),
      body: body.toWellFormed(),
      what: `edited to ${body.slice(0, 300)}`,
      mustBeRefused,
    })
  }
}

export async function fuzzHttp(options: {
  databaseUrl: string
  seed: number
  /** How many edited bodies each endpoint that takes one gets. */
  edits: number
}): Promise<{ line: string; requests: number; violations: Violation[] }> {
  const http = await testHttp(
    {
      rateLimit: { perSecond: 1e6, burst: 1e6 },
      log: createLog({ name: 'fuzz', level: 'silent' }),
      events: { lifetimeMs: 1 },
    },
    options.databaseUrl,
  )
  try {
    const fuzzer = new HttpFuzzer(http, await prepare(http))
    const before = await fuzzer.hashTables()
    for (const [name, row] of ROWS)
      if (splitName(name).method !== 'GET') await sendMalformed(fuzzer, name, row)
    if ((await fuzzer.hashTables()) !== before)
      fuzzer.violations.push({
        promise: 'a malformed body writes nothing',
        seen: 'the tables have changed',
      })
    const directed = fuzzer.requests
    for (const [name, row] of ROWS) await sendEdited(fuzzer, name, row, options)
    const edited = fuzzer.requests - directed
    for (const [index, [name, row]] of ROWS.entries())
      await sendOddParameters(fuzzer, name, row, index + options.seed)
    const last = await http.call('/installations')
    if (last.errorCode !== '0')
      fuzzer.violations.push({ promise: 'the runtime still answers', seen: last.errorCode })
    if ('polluted' in {})
      fuzzer.violations.push({ promise: 'no prototype is changed', seen: 'Object.prototype was' })
    const { requests, violations } = fuzzer
    const line =
      `${directed} malformed bodies, ${edited} edited ones and ${requests - directed - edited} odd paths, ` +
      `queries and headers for ${ROWS.length} endpoints`
    return { line, requests, violations }
  } finally {
    await http.close()
  }
}

/** Creates an installation and its operation, so that the objects in paths exist. Answers their ids. */
async function prepare(http: TestHttp): Promise<Record<string, string>> {
  const { environmentKey, bundleId } = billing.bundle
  await http.call(`/bundles/${environmentKey}/${bundleId}/versions/${billing.version}`, {
    method: 'PUT',
    // a manifest is JSON
    body: billing as unknown as JsonObject,
  })
  const answer = await http.call('/installations', {
    method: 'POST',
    body: SAMPLE_BODIES['POST /installations'] ?? {},
  })
  const row = runtimeApi['POST /installations'].answer.parse(answer.data)
  await http.call(
    `/scopes/${SCOPE.environmentKey}/${SCOPE.applicationRuntimeId}/${SCOPE.workspaceId}/local-services/search`,
    {
      method: 'PUT',
      body: { values: { a: 1 }, version: 0 },
    },
  )
  return {
    bundleInstallId: row.installation.installation.bundleInstallId,
    operationId: row.operation.operationId,
  }
}
