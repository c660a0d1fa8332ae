import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { createLog } from '#http-kit/log.ts'
import { createRuntime } from '../app.ts'
import type { Runtime, RuntimeOptions } from '../app.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'

// The runtime as its callers see it: requests over HTTP, with real credentials and real assertions.

export const CREDENTIAL = 'the-service-credential'
export const API = '/bundle-runtime/api'
export const RESOLVE = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'
export const EVERYTHING: Grant[] = [{ permissions: [...PERMISSIONS], scope: null }]

export interface Call {
  method?: string
  body?: JsonValue
  /** Request headers; `null` leaves out a default header. */
  headers?: Record<string, string | null>
  /** The grants of the assertion; all permissions by default. */
  grants?: Grant[]
  actor?: string
  key?: string
  /** Its client leaves when it is aborted. */
  signal?: AbortSignal
}

/** A response of the runtime API, read. */
export interface TestAnswer {
  status: number
  headers: Headers
  json: JsonObject
  /** From the envelope. */
  errorCode: string
  data: JsonObject
}

export interface TestHttp {
  runtime: Runtime
  /** For a second replica on the same database. */
  connection: ConnectionSettings
  sealingKeyFiles: readonly string[]
  /** Calls a path below the base of the runtime API. */
  call(path: string, call?: Call): Promise<TestAnswer>
  /** Sends an arbitrary request. */
  send(path: string, init?: RequestInit): Promise<Response>
  assertion(options?: AssertionOptions): Promise<string>
  close(): Promise<void>
}

export interface AssertionOptions {
  actor?: string
  grants?: Grant[]
  audience?: string
  lifetimeSeconds?: number
  issuedSecondsAgo?: number
  claims?: Record<string, JsonValue>
  key?: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
}

/** `server`: the URL of the PostgreSQL server for the database; by default the one of the tests. */
export async function testHttp(options: Partial<RuntimeOptions> = {}, server?: string): Promise<TestHttp> {
  const migrations = [RUNTIME_MIGRATIONS]
  const database = await testDatabase({ migrations, ...(server !== undefined && { server }) })
  const dataDir = await mkdtemp(join(tmpdir(), 'runtime-'))
  const { privateKey, publicKey } = await generateKeyPair('EdDSA')
  const runtime = await createRuntime({
    connection: database.connection,
    dataDir,
    platformApiBase: 'http://platform.test',
    egressAllow: parseEgressAllow('loopback'),
    credentials: [CREDENTIAL],
    actorKeys: createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bff', alg: 'EdDSA' }] }),
    log: createLog({ name: 'test', level: 'silent' }),
    worker: 'off',
    checkAnswers: true,
    ...options,
  })
  await runtime.start()

  const assertion = (overrides: AssertionOptions = {}): Promise<string> => {
    const { actor = 'ada', grants = EVERYTHING, audience = 'bundle-runtime' } = overrides
    const now = Math.floor(Date.now() / 1000) - (overrides.issuedSecondsAgo ?? 0)
    return new SignJWT({ name: actor, grants, auth_time: now, ...overrides.claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'bff' })
      .setSubject(actor)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + (overrides.lifetimeSeconds ?? 60))
      .sign(overrides.key ?? privateKey)
  }
  const send = async (path: string, init?: RequestInit): Promise<Response> =>
    runtime.app.request(`http://runtime.test${path}`, init)

  return {
    runtime,
    connection: options.connection ?? database.connection,
    sealingKeyFiles: [join(dataDir, 'sealing.key')],
    send,
    assertion,
    async call(path, { method = 'GET', body, headers = {}, grants, actor, key = randomUUID(), signal } = {}) {
      const sent = new Headers()
      const defaults: Record<string, string | null> = {
        authorization: `Bearer ${CREDENTIAL}`,
        'x-runtime-actor-assertion': await assertion({
          ...(grants && { grants }),
          ...(actor !== undefined && { actor }),
        }),
        'idempotency-key': method === 'GET' ? null : key,
        'content-type': body === undefined ? null : 'application/json',
        ...headers,
      }
      for (const [name, value] of Object.entries(defaults)) if (value !== null) sent.set(name, value)
      const response = await send(API + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      })
      return readTestAnswer(response)
    },
    async close() {
      await runtime.stop()
      await database.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

export async function readTestAnswer(response: Response): Promise<TestAnswer> {
  const text = await response.text()
  const json: unknown = text === '' ? {} : JSON.parse(text)
  const object = (value: unknown): JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  return {
    status: response.status,
    headers: response.headers,
    json: object(json),
    errorCode: textOf(object(json)['errorCode'] ?? object(json)['code'] ?? ''),
    data: object(object(json)['data']),
  }
}

/** Returns a field of a response that must be text. */
export function textOf(value: JsonValue | undefined): string {
  assert.equal(typeof value, 'string')
  return value as string
}
