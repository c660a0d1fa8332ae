import { sql } from 'kysely'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { createLog } from '#http-kit/log.ts'
import { CREDENTIAL, testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { SAMPLE_BODIES, SAMPLE_PARAMS } from '#runtime/testing/rows.ts'
import { billing, SCOPE } from '#runtime/testing/bundles.ts'
import type { Violation } from '../suite.ts'
import { editedRequests, malformedRequests, oddRequests } from './http-requests.ts'
import type { Endpoint, FuzzedRequest, RawRequest } from './http-requests.ts'

/** Tables that may change while malformed requests are refused, with who writes them; the audit tables may too. */
const WRITTEN_ANYWAY = {
  clock: 'every replica, which compares its clock with that of the database',
  comparison: 'a comparison of a sensitive value, which counts although it changes nothing',
  idempotency: 'a refusal, which is stored under its key; the janitor, which removes old keys',
  sealing_pass: 'the key keeper, whose first pass starts with the runtime and ends during the requests',
  signing_key: 'every replica, which notes that its key is in use',
}

/** Sends malformed requests. Each must be answered with a failure envelope or a problem, never with an internal error. */
class HttpFuzzer {
  readonly violations: Violation[] = []
  requests = 0
  private readonly http: TestHttp
  private assertion: { text: string; at: number } | null = null

  constructor(http: TestHttp) {
    this.http = http
  }

  async sendAll(requests: Iterable<FuzzedRequest>): Promise<void> {
    for (const { what, mustBeRefused, ...request } of requests) {
      this.requests++
      const problem = await this.problemOf(request, mustBeRefused)
      const promise = `${request.method} ${request.path}`.slice(0, 160)
      if (problem !== null) this.violations.push({ promise, seen: `${what}: ${problem}` })
    }
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
    const { status } = response
    const text = await response.text()
    if (status >= 500) return `answered ${status}`
    const { errorCode, code } = Object(JSON.parse(text)) as { errorCode?: unknown; code?: unknown }
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
      'idempotency-key': method === 'GET' ? null : `fuzz-${this.requests}`,
      'content-type': body === undefined ? null : 'application/json',
      ...headers,
    }
    return new Headers(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null))
  }

  /** The content of every table that a rejected request must not change, as hashes. */
  async hashTables(): Promise<ReadonlyMap<string, string | undefined>> {
    const { db } = this.http.runtime.deps
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'runtime' and table_type = 'BASE TABLE'
        and table_name <> all(${Object.keys(WRITTEN_ANYWAY)}) and table_name not like 'audit%'
      order by 1`.execute(db)
    const hashes = new Map<string, string | undefined>()
    for (const { name } of rows) {
      const content = await sql<{ hash: string }>`
        select md5(coalesce(string_agg(row::text, ' ' order by row::text), '')) as hash
        from ${sql.table(`runtime.${name}`)} as row`.execute(db)
      hashes.set(name, content.rows[0]?.hash)
    }
    return hashes
  }
}

export async function fuzzHttp(options: {
  databaseUrl: string
  seed: number
  /** How many edited bodies are sent to each endpoint with a body. */
  edits: number
}): Promise<{ line: string; requests: number; violations: Violation[] }> {
  const { databaseUrl, seed, edits } = options
  const http = await testHttp(
    {
      rateLimit: { perSecond: 1e6, burst: 1e6 },
      log: createLog({ name: 'fuzz', level: 'silent' }),
      events: { lifetimeMs: 1 },
    },
    databaseUrl,
  )
  try {
    const endpoints = await createEndpoints(http)
    const fuzzer = new HttpFuzzer(http)
    const { violations } = fuzzer
    const before = await fuzzer.hashTables()
    for (const endpoint of endpoints)
      if (endpoint.method !== 'GET') await fuzzer.sendAll(malformedRequests(endpoint))
    for (const [name, hash] of await fuzzer.hashTables())
      if (hash !== before.get(name))
        violations.push({ promise: 'a malformed body writes nothing', seen: `the table ${name} has changed` })
    const malformed = fuzzer.requests
    for (const endpoint of endpoints) await fuzzer.sendAll(editedRequests(endpoint, seed, edits))
    const edited = fuzzer.requests - malformed
    for (const [index, endpoint] of endpoints.entries())
      await fuzzer.sendAll(oddRequests(endpoint, index + seed))
    const last = await http.call('/installations')
    if (last.errorCode !== '0')
      violations.push({ promise: 'the runtime still answers', seen: last.errorCode })
    if ('polluted' in {})
      violations.push({ promise: 'no prototype is changed', seen: 'Object.prototype was' })
    const { requests } = fuzzer
    const line =
      `${malformed} malformed bodies, ${edited} edited ones and ${requests - malformed - edited} odd paths, ` +
      `queries and headers for ${endpoints.length} endpoints`
    return { line, requests, violations }
  } finally {
    await http.close()
  }
}

/** All endpoints, whose paths name an installation, an operation and a local service that exist. */
async function createEndpoints(http: TestHttp): Promise<Endpoint[]> {
  const { environmentKey, bundleId } = billing.bundle
  await http.call(`/bundles/${environmentKey}/${bundleId}/versions/${billing.version}`, {
    method: 'PUT',
    // a manifest is JSON
    body: billing as unknown as JsonObject,
  })
  const body = SAMPLE_BODIES['POST /installations'] ?? {}
  const { data } = await http.call('/installations', { method: 'POST', body })
  const { installation, operation } = runtimeApi['POST /installations'].answer.parse(data)
  const scope = `${SCOPE.environmentKey}/${SCOPE.applicationRuntimeId}/${SCOPE.workspaceId}`
  await http.call(`/scopes/${scope}/local-services/search`, {
    method: 'PUT',
    body: { values: { a: 1 }, version: 0 },
  })
  const ids = {
    bundleInstallId: installation.installation.bundleInstallId,
    operationId: operation.operationId,
  }
  // the rows by their names
  return (Object.entries(runtimeApi) as [EndpointName, EndpointRow][]).map(([name, row]) => {
    const { method, path } = splitName(name)
    return {
      name,
      row,
      method,
      sample: SAMPLE_BODIES[name] ?? {},
      path: (params = {}) => fillPath(path, { ...SAMPLE_PARAMS, ...ids, ...params }),
    }
  })
}
