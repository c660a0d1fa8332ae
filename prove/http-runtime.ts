import { createLocalJWKSet } from 'jose'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import { loadActorKey } from '#bff/actor-key.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { createLog } from '#http-kit/log.ts'
import { createRuntime } from '#runtime/app.ts'
import type { RuntimeOptions } from '#runtime/app.ts'

const CREDENTIAL = 'credential-of-the-proof-0123456789abcdef'

const Envelope = z.object({ errorCode: z.string(), data: z.unknown() })
export type Envelope = z.infer<typeof Envelope>

export interface Request {
  method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE'
  /** Below `/bundle-runtime/api`. */
  path: string
  body?: JsonValue
  idempotencyKey?: string
}

/** A whole runtime, asked as the BFF asks it, by somebody who may do everything; no socket lies between. */
export interface HttpRuntime {
  /** Null where the transport refused, so that nobody knows what became of it. */
  ask(request: Request): Promise<Envelope | null>
  dataDir: string
  /** A plugin asks with its own credential. */
  resolve(secret: string, body: JsonValue): Promise<Envelope | null>
  stop(): Promise<void>
}

/** Replicas of one database need one directory, which has its keys. */
export type HttpRuntimeOptions = Pick<RuntimeOptions, 'worker' | 'connections'> & { dataDir?: string }

export async function startHttpRuntime(
  connection: ConnectionSettings,
  { dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-prove-')), ...options }: HttpRuntimeOptions = {},
): Promise<HttpRuntime> {
  const key = await loadActorKey(dataDir)
  const runtime = await createRuntime({
    connection,
    dataDir,
    platformApiBase: 'http://127.0.0.1',
    egressAllow: parseEgressAllow('loopback'),
    credentials: [CREDENTIAL],
    actorKeys: createLocalJWKSet({ keys: [key.publicJwk] }),
    log: createLog({ name: 'prove', level: 'silent' }),
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    ...options,
  })
  await runtime.start()
  const assertionOf = createActorAssertions(key)
  const person = { id: 'prover', name: 'Prover', grants: [{ permissions: [...PERMISSIONS], scope: null }] }
  const send = async (
    path: string,
    method: string,
    headers: Record<string, string>,
    body: JsonValue | undefined,
  ): Promise<Envelope | null> => {
    const response = await runtime.app.request(`http://127.0.0.1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // the envelope is the only answer that says what happened
    return response.status === 200 ? Envelope.parse(await response.json()) : null
  }
  return {
    dataDir,
    async ask({ method, path, body, idempotencyKey }) {
      const headers = {
        authorization: `Bearer ${CREDENTIAL}`,
        'x-runtime-actor-assertion': await assertionOf(person),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      }
      return send(`/bundle-runtime/api${path}`, method, headers, body)
    },
    resolve: (secret, body) =>
      send(
        '/module-plugin-manager/api/bundle-plugin/service-reference/resolve',
        'POST',
        { authorization: `Bearer ${secret}` },
        body,
      ),
    async stop() {
      await runtime.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
