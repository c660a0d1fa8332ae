import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Envelope, Request } from '../http-runtime.ts'
import type { Replicas } from './replicas.ts'

/** Bundles without a plugin, one Module each: their operations end at once, so an owner is held for a moment only. */
export const BUNDLES = ['a', 'b', 'c']
export const moduleOf = (bundle: string): string => `proof/${bundle}/MODULE/core`

export const scopePath = (workspace: number): string => `/scopes/proof/linear/${workspace}`

export async function publishBundles(replicas: Replicas): Promise<void> {
  for (const bundleId of BUNDLES) {
    const bundle = { environmentKey: 'proof', bundleId }
    const properties = { value: { kind: 'DATA', schema: { type: 'string' } } }
    const core = { kind: 'MODULE', name: 'core', title: bundleId, moduleId: `${bundleId}-core`, properties }
    await demand(replicas, {
      method: 'PUT',
      path: `/bundles/proof/${bundleId}/versions/1`,
      body: { bundle, version: '1', title: bundleId, resources: [core], plugins: [] },
    })
  }
}

/** Has all bundles ACTIVE in a scope of their own. */
export async function installAll(replicas: Replicas, workspaceId: number): Promise<void> {
  const scope = { environmentKey: 'proof', applicationRuntimeId: 'linear', workspaceId }
  for (const bundleId of BUNDLES) {
    const bundle = { environmentKey: 'proof', bundleId }
    await demand(replicas, {
      method: 'POST',
      path: '/installations',
      body: { scope, bundle, targetVersion: '1' },
    })
  }
  await untilUnclaimed(replicas, workspaceId)
}

export async function untilUnclaimed(replicas: Replicas, workspaceId: number): Promise<void> {
  for (let looks = 0; looks < 3_000; looks++) {
    const { left } = await replicas.look((db) =>
      db
        .selectFrom('runtime.operation')
        .select((row) => row.fn.countAll<number>().as('left'))
        .where('workspace_id', '=', workspaceId)
        .where('holds_claim', '=', true)
        .executeTakeFirstOrThrow(),
    )
    if (left === 0) return
    await sleep(10)
  }
  throw new Error(`the operations of scope ${workspaceId} do not end`)
}

/** A call that must succeed in the end, whatever happens to the line. */
async function demand(replicas: Replicas, request: Omit<Request, 'idempotencyKey'>): Promise<JsonValue> {
  const idempotencyKey = crypto.randomUUID()
  for (let tries = 0; tries < 100; tries++) {
    const answer: Envelope | null = await replicas.ask(tries % replicas.count, { ...request, idempotencyKey })
    if (answer?.errorCode === '0') return answer.data as JsonValue
    if (answer !== null) throw new Error(`${request.method} ${request.path}: ${answer.errorCode}`)
    await sleep(20)
  }
  throw new Error(`${request.method} ${request.path}: no answer`)
}
