import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fillPath, isWrite, METHODS, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { serve } from '#http-kit/serve.ts'
import { getTarget, NON_CANONICAL_TARGETS } from '#http-kit/testing-targets.ts'
import { SCOPE, billing } from '../testing/bundles.ts'
import { CREDENTIAL, testHttp, textOf } from '../testing/http.ts'
import type { TestAnswer, TestHttp } from '../testing/http.ts'
import { SAMPLE_BODIES, SAMPLE_PARAMS, SAMPLE_QUERIES } from '../testing/rows.ts'

// The same tests for every row of the contract, including future ones.

const rows = Object.entries(runtimeApi) as [EndpointName, EndpointRow][]
const elsewhere: Grant[] = [
  { permissions: [...PERMISSIONS], scope: { ...SCOPE, environmentKey: 'somewhere-else' } },
]

let http: TestHttp
let installed: { bundleInstallId: string; operationId: string }

before(async () => {
  http = await testHttp()
  const { bundle, version } = billing
  await http.call(`/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`, {
    method: 'PUT',
    body: billing as unknown as JsonObject,
  })
  const answer = await http.call('/installations', {
    method: 'POST',
    body: SAMPLE_BODIES['POST /installations'] ?? null,
  })
  const { installation, operation } = answer.data as { installation: JsonObject; operation: JsonObject }
  installed = {
    bundleInstallId: textOf((installation['installation'] as JsonObject)['bundleInstallId']),
    operationId: textOf(operation['operationId']),
  }
})

after(() => http.close())

const paramsOf = (): Record<string, string | number> => ({ ...SAMPLE_PARAMS, ...installed })

function callRow(
  name: EndpointName,
  call: Parameters<TestHttp['call']>[1] & { path?: string; query?: string } = {},
) {
  const { method, path } = splitName(name)
  const filled = call.path ?? fillPath(path, paramsOf())
  const body = SAMPLE_BODIES[name]
  return http.call(filled + (call.query ?? SAMPLE_QUERIES[name] ?? ''), {
    method,
    ...(body !== undefined && { body }),
    ...call,
  })
}

const isStream = (row: EndpointRow): boolean => row.answers === 'events'

function assertProblem(answer: TestAnswer, status: number, code: string): void {
  assert.equal(answer.status, status)
  assert.equal(answer.headers.get('content-type'), 'application/problem+json')
  assert.equal(answer.json['code'], code)
  assert.equal(answer.json['requestId'], answer.headers.get('x-request-id'))
}

function detailsOf(answer: TestAnswer): { path: string; message: string }[] {
  return (answer.data['details'] ?? []) as { path: string; message: string }[]
}

for (const [name, row] of rows) {
  describe(name, () => {
    it('has a valid sample if it takes a body', () => {
      assert.equal(row.body === undefined, SAMPLE_BODIES[name] === undefined)
      if (row.body !== undefined) assert.equal(row.body.safeParse(SAMPLE_BODIES[name]).success, true)
    })

    it('refuses a call without the service credential, or with a wrong one (G05)', async () => {
      for (const authorization of [
        null,
        'Bearer',
        'Bearer nothing',
        `Basic ${CREDENTIAL}`,
        `Bearer ${CREDENTIAL}x`,
      ])
        assertProblem(await callRow(name, { headers: { authorization } }), 401, 'AUTHENTICATION_REQUIRED')
    })

    it('refuses the service credential without an assertion (G06)', async () => {
      const answer = await callRow(name, { headers: { 'x-runtime-actor-assertion': null } })
      assertProblem(answer, 401, 'AUTHENTICATION_REQUIRED')
    })

    if (!isStream(row)) {
      it('reveals nothing to a person without the permission (G01)', async () => {
        const { access } = row
        assert('where' in access)
        const grants = access.where === 'anywhere' ? [] : elsewhere
        const answer = await callRow(name, { grants })
        assert.equal(answer.status, 200)
        if (access.where === 'object') assert.equal(answer.errorCode, 'NOT_FOUND')
        else if (access.where !== 'list') assert.equal(answer.errorCode, 'PERMISSION_DENIED')
        else if (answer.errorCode === '0') assertEmpty(answer.data)
        else assert.equal(answer.errorCode, 'NOT_FOUND')
      })
    }

    it('refuses an unknown query parameter (J02)', async () => {
      const answer = await callRow(name, { query: '?nonsense=1' })
      assert.equal(answer.status, 200)
      assert.equal(answer.errorCode, 'REQUEST_INVALID')
      assert.match(JSON.stringify(detailsOf(answer)), /query.*nonsense/)
    })

    for (const param of Object.keys(row.params?.shape ?? {})) {
      it(`refuses a wrong ${param} and names it`, async () => {
        const path = splitName(name).path.replace(`{${param}}`, '{wrong}')
        const answer = await callRow(name, { path: fillPath(path, { ...paramsOf(), wrong: 'no t!' }) })
        assert.equal(answer.errorCode, 'REQUEST_INVALID')
        assert.deepEqual(
          detailsOf(answer).map((detail) => detail.path),
          [`path.${param}`],
        )
      })
    }

    if (row.body !== undefined) {
      it('refuses a body with an unknown field', async () => {
        const answer = await callRow(name, { body: { ...SAMPLE_BODIES[name], nonsense: 1 } })
        assert.equal(answer.errorCode, row.bodyErrorCode ?? 'REQUEST_INVALID')
        assert.deepEqual(
          detailsOf(answer).map(({ path, message }) => [path, message]),
          [[row.bodyErrorCode === undefined ? 'body' : '', 'Unrecognized key: "nonsense"']],
        )
      })

      it('refuses each field of a wrong type and names it', async () => {
        for (const field of Object.keys(SAMPLE_BODIES[name] ?? {})) {
          const answer = await callRow(name, { body: { ...SAMPLE_BODIES[name], [field]: -1.5 } })
          assert.equal(answer.errorCode, row.bodyErrorCode ?? 'REQUEST_INVALID', field)
          const place = row.bodyErrorCode === undefined ? `body.${field}` : `/${field}`
          assert(
            detailsOf(answer).some(({ path }) => path.startsWith(place)),
            field,
          )
        }
      })

      it('refuses text that is not JSON, another media type, and a body that is too large', async () => {
        const { method, path } = splitName(name)
        const send = async (body: string, headers: Record<string, string> = {}) =>
          http.send(`/bundle-runtime/api${fillPath(path, paramsOf())}`, {
            method,
            body,
            headers: {
              authorization: `Bearer ${CREDENTIAL}`,
              'x-runtime-actor-assertion': await http.assertion(),
              'idempotency-key': 'k',
              'content-type': 'application/json',
              ...headers,
            },
          })
        const broken = await send('{"a":')
        assert.equal(broken.status, 200)
        assert.equal(
          ((await broken.json()) as JsonObject)['errorCode'],
          row.bodyErrorCode ?? 'REQUEST_INVALID',
        )
        assert.equal((await send('{}', { 'content-type': 'text/plain' })).status, 415)
        assert.equal((await send('{}', { 'content-encoding': 'gzip' })).status, 415)
        const tooMuch = JSON.stringify({ a: 'x'.repeat((row.maxBodyBytes ?? BODY_BYTES_MAX) + 1) })
        assert.equal((await send(tooMuch)).status, 413)
      })
    }

    if (isWrite(name, row)) {
      it('refuses a write without a usable Idempotency-Key', async () => {
        for (const key of [null, '', 'with space', 'x'.repeat(129), 'umläut'.normalize()]) {
          const answer = await callRow(name, { headers: { 'idempotency-key': key && encodeHeader(key) } })
          assert.equal(answer.errorCode, 'REQUEST_INVALID')
          assert.deepEqual(
            detailsOf(answer).map(({ path }) => path),
            ['header.Idempotency-Key'],
          )
        }
      })
    }
  })
}

describe('methods', () => {
  it('returns 405 with Allow for every other method of every path (B05)', async () => {
    const byPath = Map.groupBy(rows, ([name]) => splitName(name).path)
    for (const [path, named] of byPath) {
      const methods = named.map(([name]) => splitName(name).method)
      for (const method of METHODS.filter((other) => !methods.includes(other))) {
        const answer = await http.call(fillPath(path, paramsOf()), { method })
        assertProblem(answer, 405, 'METHOD_NOT_ALLOWED')
        const allowed = (answer.headers.get('allow') ?? '').split(', ')
        for (const one of methods) assert(allowed.includes(one), `${path} allows ${one}`)
      }
    }
  })

  it('answers OPTIONS with the methods and nothing for other origins, and HEAD like GET (B04)', async () => {
    const options = await http.call('/plugins', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.test' },
    })
    assert.equal(options.status, 204)
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS')
    assert.equal(options.headers.get('access-control-allow-origin'), null)
    const head = await http.call('/plugins', { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal((await http.call('/events', { method: 'HEAD' })).status, 200)
  })

  it('returns 404 for a path that does not exist or is not canonical (D02)', async (t) => {
    const server = await serve({ app: http.runtime.app, port: 0, hostname: '127.0.0.1' })
    t.after(() => server.stop())
    const headers = {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': await http.assertion(),
    }
    const base = '/bundle-runtime/api'
    const unknown = ['nothing', 'operations/x/y/z', 'plugins/', 'Plugins', 'x'.repeat(8_000)]
    const odd = NON_CANONICAL_TARGETS.map((target) =>
      target.replace('api', 'bundle-runtime/api').replace('API', 'BUNDLE-RUNTIME/api'),
    )
    for (const target of [...unknown.map((path) => `${base}/${path}`), ...odd, `${base}/%70lugins`]) {
      const answer = await getTarget(server.port, target, headers)
      assert.match(answer, /^HTTP\/1\.1 404 .*"code":"NOT_FOUND"/s, target)
    }
    assert.match(await getTarget(server.port, `${base}/plugins`, headers), /^HTTP\/1\.1 200 /)
  })
})

function encodeHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A response that reveals no object: no items, and no count above zero. */
function assertEmpty(data: JsonValue): void {
  if (typeof data === 'number') assert.equal(data, 0)
  else if (Array.isArray(data)) assert.deepEqual(data, [])
  else if (typeof data === 'object' && data !== null) Object.values(data).forEach(assertEmpty)
}
