import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Hono } from 'hono'
import { createLocalJWKSet } from 'jose'
import { freePort } from '#database/free-port.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { serve } from '#http-kit/serve.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { testHttp } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { createActorAssertions, loadActorKey } from './actor-assertion.ts'
import { checkRuntime, startRuntimeCheck } from './check-runtime.ts'
import type { RuntimeVerdict } from './check-runtime.ts'

const CREDENTIALS = ['the-old-credential', 'the-new-credential']

const folders = { known: mkdtempSync(join(tmpdir(), 'known-')), other: mkdtempSync(join(tmpdir(), 'other-')) }
const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
const runtimeLog: string[] = []
let baseUrl: string
const stops: (() => Promise<unknown>)[] = []

before(async () => {
  const server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
  const { publicJwk } = await loadActorKey(folders.known)
  const http = await testHttp({
    connection: server.connection,
    credentials: CREDENTIALS,
    actorKeys: createLocalJWKSet({ keys: [publicJwk] }),
    log: createLog({
      name: 'runtime',
      level: 'warn',
      stream: { write: (line) => void runtimeLog.push(line) },
    }),
  })
  const listening = await serve({ app: http.runtime.app, port: 0 })
  baseUrl = `http://127.0.0.1:${listening.port}/bundle-runtime/api`
  stops.push(
    () => outbound.close(),
    () => listening.stop({ graceMs: 100 }),
    () => http.close(),
    () => server.close(),
  )
})
after(async () => {
  for (const stop of stops) await stop()
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true })
})

async function optionsOf(folder: string, credential: string, url = baseUrl) {
  const key = await loadActorKey(folder)
  return { outbound, baseUrl: url, credential, key, assertionOf: createActorAssertions(key) }
}

describe('the check of the runtime', () => {
  it('accepts the old and the new credential during a rotation', async () => {
    for (const credential of CREDENTIALS)
      assert.deepEqual(await checkRuntime(await optionsOf(folders.known, credential)), {
        verdict: 'accepted',
        problem: null,
      })
  })

  it('distinguishes an unknown credential, an unknown key and a runtime that does not respond', async () => {
    const findingOf = async (...options: Parameters<typeof optionsOf>) =>
      checkRuntime(await optionsOf(...options))
    assert.equal((await findingOf(folders.known, 'another-one')).verdict, 'credential-refused')
    assert.equal((await findingOf(folders.other, CREDENTIALS[0] ?? '')).verdict, 'assertion-refused')
    const { host, href } = new URL('/bundle-runtime/api', `http://127.0.0.1:${await freePort()}`)
    assert.deepEqual(await findingOf(folders.known, 'any-one-of-them', href), {
      verdict: 'unavailable',
      problem: `${host} cannot be used as the runtime: nothing listens there; check RUNTIME_API_BASE and the runtime`,
    })
    assert.ok(
      runtimeLog.some((line) => line.includes('does not have the key that signed it')),
      runtimeLog.join(''),
    )
  })

  it('says what is wrong with a response that is not of a runtime that accepts this console', async () => {
    const other = '(status STATUS); check RUNTIME_API_BASE'
    const basic = { 'www-authenticate': 'Basic realm="a"' }
    const bearer = { 'www-authenticate': 'bearer' }
    const answers: [number, Record<string, string>, RuntimeVerdict, string][] = [
      [200, { 'content-type': 'text/html' }, 'unavailable', other],
      [404, {}, 'unavailable', other],
      [500, {}, 'unavailable', other],
      [401, basic, 'unavailable', other],
      [401, bearer, 'credential-refused', 'set RUNTIME_API_CREDENTIAL'],
      [401, {}, 'credential-refused', 'set RUNTIME_API_CREDENTIAL'],
      [429, {}, 'unavailable', 'limits the requests of this console'],
    ]
    for (const [status, headers, verdict, problem] of answers) {
      const app = new Hono().all('*', () => new Response('{}', { status, headers }))
      const answering = await serve({ app, port: 0 })
      const url = `http://127.0.0.1:${answering.port}/bundle-runtime/api`
      const finding = await checkRuntime(await optionsOf(folders.known, CREDENTIALS[0] ?? '', url))
      await answering.stop({ graceMs: 100 })
      assert.equal(finding.verdict, verdict, `${status}`)
      assert.ok(finding.problem?.includes(problem.replace('STATUS', `${status}`)), finding.problem ?? '')
    }
  })

  it('logs once that the runtime does not know the key of this console, and what to do', async () => {
    const lines: string[] = []
    const log = createLog({
      name: 'console',
      level: 'warn',
      stream: { write: (line) => void lines.push(line) },
    })
    const options = await optionsOf(folders.other, CREDENTIALS[0] ?? '')
    const check = startRuntimeCheck({ ...options, log })
    await until(() => lines.length > 0)
    await check.stop()
    assert.equal(check.verdict(), 'assertion-refused')
    assert.equal(lines.length, 1)
    assert.match(
      lines[0] ?? '',
      new RegExp(`${options.key.kid}.*ACTOR_ASSERTION_JWKS.*ACTOR_ASSERTION_KEY_FILE`),
    )
  })
})
