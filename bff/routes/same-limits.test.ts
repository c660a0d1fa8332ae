import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import {
  BODY_BYTES_MAX,
  BODY_DEPTH_MAX,
  BODY_KEYS_MAX,
  LARGE_BODY_BYTES_MAX,
  STRING_BYTES_MAX,
} from '#contract/protocol/limits.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { sessionCookie } from '../testing-browser.ts'
import { startForTests } from '../../start-for-tests.ts'
import type { TestSystem } from '../../start-for-tests.ts'
import { createActorAssertions, loadActorKey } from '../runtime/actor-assertion.ts'

// The BFF and the runtime share the limits of a body: both must judge the same bytes equally.

/** Each test with large bodies is of another person: together they would reach the limit of one person's requests. */
const USERS = Array.from({ length: 7 + Object.keys(runtimeApi).length }, (_, index) => ({
  username: `admin-${index}`,
  password: 'a password of the test',
}))
const CREDENTIAL = 'the-service-credential-of-the-test'

let running: TestSystem
let cookie: string
let signedIn = 0
const signInAsNext = async () => {
  cookie = await sessionCookie(running.url, USERS[signedIn++] ?? { username: '', password: '' })
}
let assertion: () => Promise<string>
before(async () => {
  running = await startForTests({
    auth: { users: USERS.map((user) => ({ ...user, roles: [{ role: 'admin' as const, scope: null }] })) },
    credentials: [CREDENTIAL],
    folder: import.meta.dirname,
  })
  await signInAsNext()
  const assertionOf = createActorAssertions(await loadActorKey(running.dataDir))
  assertion = () =>
    assertionOf({ id: 'test', name: 'Test', grants: [{ permissions: [...PERMISSIONS], scope: null }] })
})
after(() => running.stop())

/** A server's result for a body: 0 if accepted, otherwise the failure's code and its first detail, if any. */
type Verdict = { code: string; detail: string | null }
type Failure = { details?: { message: string }[] } | null

async function ofRuntime(method: string, path: string, body: string): Promise<Verdict> {
  const response = await fetch(running.runtimeUrl + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': await assertion(),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
  })
  const json = (await response.json()) as { errorCode?: string; code?: string; data?: Failure }
  if (response.status !== 200) return { code: json.code ?? '', detail: null }
  return verdict(json.errorCode ?? '', json.data ?? null)
}

async function ofBff(method: string, path: string, body: string): Promise<Verdict> {
  const response = await fetch(`${running.url}/api${path}`, {
    method,
    body,
    headers: {
      cookie,
      'x-requested-by': 'console',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
  })
  const json = (await response.json()) as { code?: string } & Failure
  return response.status === 200 ? verdict('0', null) : verdict(json.code ?? '', json)
}

const verdict = (code: string, failure: Failure): Verdict => ({
  code,
  detail: code === '0' ? null : (failure?.details?.[0]?.message ?? null),
})

async function bothSay(name: EndpointName, params: Record<string, string>, body: string): Promise<Verdict> {
  const { method, path } = splitName(name)
  const filled = fillPath(path, params)
  const said = await ofRuntime(method, filled, body)
  assert.deepEqual(await ofBff(method, filled, body), said, `${name} with ${body.length} characters`)
  return said
}

const SCOPE = { environmentKey: 'production', applicationRuntimeId: 'limits', workspaceId: '1' }
const BASE = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}'
const PARAMS: Record<string, string> = {
  ...SCOPE,
  bundleInstallId: randomUUID(),
  operationId: randomUUID(),
  credentialId: randomUUID(),
}

/** A plan accepts any value and writes nothing, so both servers can be sent the same one. */
const plan = (value: string, padding = ''): Promise<Verdict> =>
  bothSay(`POST ${BASE}/configuration/plan`, SCOPE, bodyWith(value) + padding)
const bodyWith = (value: string): string =>
  `{"snapshotVersion":1,"changes":{"a/b/MODULE/c":{"x":{"@type":"Data","value":${value}}}}}`
/** Around the value: the body, its changes, their resource and the Data. */
const LEVELS = 4
/** In the same place: snapshotVersion, changes, the locator, the property, @type and value. */
const KEYS = 6

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
const text = (bytes: number): string => `"${'é'.repeat(bytes / 2)}${'x'.repeat(bytes % 2)}"`

const ACCEPTED = { code: '0', detail: null }

describe('the BFF and the runtime read a body with the same limits', () => {
  before(async () => {
    // creates the scope
    const name = `PUT ${BASE}/local-services/{serviceName}` as const
    const { method, path } = splitName(name)
    const filled = fillPath(path, { ...SCOPE, serviceName: 'any' })
    assert.deepEqual(await ofRuntime(method, filled, '{"version":0,"values":{}}'), ACCEPTED)
  })

  const rows = Object.entries(runtimeApi) as [EndpointName, EndpointRow][]
  for (const [name, row] of rows.filter(([, { body }]) => body !== undefined)) {
    test(`of ${name}: the same number of bytes (D07)`, async () => {
      await signInAsNext()
      const max = row.maxBodyBytes ?? BODY_BYTES_MAX
      assert.ok([BODY_BYTES_MAX, LARGE_BODY_BYTES_MAX].includes(max))
      const { method, path } = splitName(name)
      const filled = fillPath(
        path.replace(/\{(\w+)\}/g, (_, key: string) => PARAMS[key] ?? 'x'),
        {},
      )
      for (const [size, isTooLarge] of [
        [max, false],
        [max + 1, true],
      ] as const) {
        const body = '{}'.padEnd(size)
        for (const said of [await ofRuntime(method, filled, body), await ofBff(method, filled, body)])
          assert.equal(said.code === 'PAYLOAD_TOO_LARGE', isTooLarge, `${size} bytes: ${said.code}`)
      }
    })
  }

  test('a body of the maximum size is accepted unchanged, in whatever notation its numbers are', async () => {
    await signInAsNext()
    const numbers = (count: number): string => `[${'1e20,'.repeat(count)}0]`
    const most = Math.floor((LARGE_BODY_BYTES_MAX - bodyWith(numbers(0)).length) / '1e20,'.length)
    assert.deepEqual(await plan(numbers(most)), ACCEPTED)
    const rest = LARGE_BODY_BYTES_MAX - bodyWith('0').length
    assert.deepEqual(await plan('0', ' '.repeat(rest)), ACCEPTED)
    assert.deepEqual(await plan('0', ' '.repeat(rest + 1)), { code: 'PAYLOAD_TOO_LARGE', detail: null })
  })

  test('nesting (D07)', async () => {
    await signInAsNext()
    assert.deepEqual(await plan(lists(BODY_DEPTH_MAX - LEVELS)), ACCEPTED)
    const { code, detail } = await plan(lists(BODY_DEPTH_MAX - LEVELS + 1))
    assert.equal(code, 'REQUEST_INVALID')
    assert.match(detail ?? '', new RegExp(`^The nesting is deeper than ${BODY_DEPTH_MAX} `))
  })

  test('the number of keys (D07)', async () => {
    await signInAsNext()
    assert.deepEqual(await plan(keys(BODY_KEYS_MAX - KEYS)), ACCEPTED)
    const { code, detail } = await plan(keys(BODY_KEYS_MAX - KEYS + 1))
    assert.equal(code, 'REQUEST_INVALID')
    assert.match(detail ?? '', new RegExp(`^There are more than ${BODY_KEYS_MAX} keys `))
  })

  test('the length of a string and of a key (D07)', async () => {
    await signInAsNext()
    for (const wrap of [(long: string) => long, (long: string) => `{${long}:0}`]) {
      assert.deepEqual(await plan(wrap(text(STRING_BYTES_MAX))), ACCEPTED)
      const { code, detail } = await plan(wrap(text(STRING_BYTES_MAX + 1)))
      assert.equal(code, 'REQUEST_INVALID')
      assert.match(detail ?? '', new RegExp(`^A string is longer than ${STRING_BYTES_MAX} bytes`))
    }
  })

  test('JSON that is not accepted (D07)', async () => {
    await signInAsNext()
    for (const value of ['{"a":1,"a":2}', '{"__proto__":1}', '"\\u0000"', '"\\ud800"', '1e999'])
      assert.equal((await plan(value)).code, 'REQUEST_INVALID', value)
  })

  test('a number passes only if it is written back equal', async () => {
    await signInAsNext()
    for (const number of ['1.0', '1e2', '-0', '9007199254740991', '34023856717831150', '0.30000000000000004'])
      assert.deepEqual(await plan(number), ACCEPTED, number)
    for (const number of [
      '9007199254740993',
      '9007199254740993.0',
      '9.007199254740993e15',
      '9007199254740992.5',
      '18446744073709551616',
      '0.1234567890123456789',
      '1e-400',
    ]) {
      const { code, detail } = await plan(number)
      assert.equal(code, 'REQUEST_INVALID', number)
      assert.match(
        detail ?? '',
        /^A number cannot be represented exactly .*\(line 1, column \d+, at \/changes/,
      )
    }
  })
})
