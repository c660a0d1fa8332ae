import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { refOf, valuesOf } from './bundles.ts'
import type { Caller } from './caller.ts'

export const STORY_SCOPE: Scope = { environmentKey: 'prod', applicationRuntimeId: 'story', workspaceId: 1 }

/** The life of one installation, each step of which must succeed: INSTALL, CONFIGURE, UPGRADE, DETACH. */
export async function tellStory(caller: Caller): Promise<void> {
  const installed = must(
    await caller.write('POST /installations', {
      body: {
        scope: STORY_SCOPE,
        bundle: refOf('shop'),
        targetVersion: '1.0.0',
        properties: valuesOf('shop', 1),
      },
    }),
  )
  const { bundleInstallId } = installed.installation.installation
  await succeeds(caller, installed.operation)
  await saveValues(caller, 2)
  const params = { bundleInstallId }
  const upgraded = await caller.write('POST /installations/{bundleInstallId}/upgrade', {
    params,
    body: { targetVersion: '2.0.0' },
  })
  await succeeds(caller, must(upgraded).operation)
  const detached = await caller.write('POST /installations/{bundleInstallId}/detach', {
    params,
    body: { reason: 'the end' },
  })
  await succeeds(caller, must(detached).operation)
}

/** One save of one installation's values, and its CONFIGURE. */
async function saveValues(caller: Caller, number: number): Promise<void> {
  const params = { ...STORY_SCOPE, workspaceId: String(STORY_SCOPE.workspaceId) }
  const path = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
  const { snapshotVersion } = await caller.read(`GET ${path}`, { params })
  const changes = valuesOf('shop', number)
  const saved = must(await caller.write(`PATCH ${path}`, { params, body: { snapshotVersion, changes } }))
  for (const operation of saved.operations) await succeeds(caller, operation)
}

function must<Data>(said: { isDone: true; data: Data } | { isDone: false; errorCode: string }): Data {
  if (!said.isDone) throw new Error(`a write was refused with ${said.errorCode}`)
  return said.data
}

/** Waits for the end. Nothing is wrong with the plugins here, so that only success is expected. */
async function succeeds(caller: Caller, { operationId }: Operation): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const { state, failure } = await caller.read('GET /operations/{operationId}', { params: { operationId } })
    if (state === 'SUCCEEDED') return
    if (state === 'FAILED') throw new Error(`an operation failed with ${failure?.errorCode}`)
    if (performance.now() > deadline) throw new Error(`an operation is ${state} after a minute`)
    await sleep(25)
  }
}
