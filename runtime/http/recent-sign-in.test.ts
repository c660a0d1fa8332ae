import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { generateKeyPair } from 'jose'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { Batch } from '#contract/runtime-api/batches.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { AssertionOptions, TestAnswer } from '../testing/http.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import { waitForLong } from '../testing/wait-for-long.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { until } from '../testing/stream.ts'

// Every row that asks for a recent sign-in, with real assertions over HTTP: also rows that are added later.

const LIMIT_SECONDS = 300
const rows = Object.entries(runtimeApi) as [EndpointName, EndpointRow][]
const stuck = bundleOf('stuck', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('refusing', 1, { main: {} })],
})

const plain = bundleOf('plain', { resources: [moduleOf('main', { name: TEXT })] })
const patient = bundleOf('patient', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('unsure', 1, { main: {} })],
})

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness({ recentSignInSeconds: LIMIT_SECONDS })
  deps.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'unsure' ? 'UNKNOWN' : 'FAILED' }))
  await deps.register('refusing', 'holder', 'unsure')
  await deps.publish(stuck, plain, { ...plain, version: '2.0.0' }, patient)
})
after(() => deps.close())

async function failedOperation(): Promise<string> {
  const { operationId } = await deps.install(stuck, { scope: deps.newScope() })
  await deps.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
  return operationId
}

const batchOf = async (action: 'TAKEOVER' | 'RETRY', count: number): Promise<JsonObject> => ({
  action,
  targets: await Promise.all(Array.from({ length: count }, failedOperation)),
  reason: 'it is over',
})

/** A batch that waits after its first item. */
async function pausedBatch(action: 'TAKEOVER' | 'RETRY'): Promise<string> {
  const body = { ...(await batchOf(action, 2)), first: 1, concurrency: 1 }
  const { batchId } = Batch.parse((await deps.ok('/batches', { method: 'POST', body }))['batch'])
  await until(async () => (await deps.ok(`/batches/${batchId}`, {}))['state'] === 'PAUSED')
  return batchId
}

async function requestedTakeover(): Promise<string> {
  const input = { operationId: await failedOperation(), run: 1 }
  const body = { kind: 'TAKEOVER', title: 'It is over', submit: true, input }
  const made = await deps.ok('/change-requests', { method: 'POST', body })
  return (made as { changeRequest: { changeRequestId: string } }).changeRequest.changeRequestId
}

interface Sample {
  params?: Record<string, string>
  body?: JsonObject
}

/** Of a plugin of its own, unless one is named. */
async function retirement(
  action: 'retire' | 'reinstate',
  pluginId = `gone-${crypto.randomUUID().slice(0, 8)}`,
) {
  if (action === 'retire') await deps.register(pluginId)
  const { updatedAt } = await deps.ok(`/plugins/${pluginId}`, {})
  return { params: { pluginId }, body: { reason: 'it is gone for good', updatedAt: String(updatedAt) } }
}

/** A freeze that is over. */
const pastFreeze = (name: string) => ({
  params: { name },
  body: {
    environments: ['lab'],
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
    timeZone: 'UTC',
    blocks: [...CHANGE_KINDS],
    message: 'Ask Ada',
  },
})
async function existingFreeze(): Promise<Sample & { params: { name: string } }> {
  const { params, body } = pastFreeze(`freeze-${crypto.randomUUID().slice(0, 8)}`)
  await deps.ok(`/freezes/${params.name}`, { method: 'PUT', body })
  return { params, body }
}

async function credential(): Promise<string> {
  const made = await deps.ok('/plugins/holder/credentials', { method: 'POST', body: {} })
  return String(made['credentialId'])
}

const frozen: Scope[] = []
/** A scope in which nothing is admitted once `prepare` is done. */
async function frozenScope(prepare: (scope: Scope) => Promise<Sample>): Promise<Sample> {
  const scope = deps.newScope()
  const sample = await prepare(scope)
  frozen.push(scope)
  const body = {
    scopes: frozen.map((one) => ({ ...one })),
    from: '2026-01-01T00:00:00.000Z',
    to: '9999-01-01T00:00:00.000Z',
    timeZone: 'UTC',
    blocks: [...CHANGE_KINDS],
    allowsRecovery: false,
    message: 'Ask Ada',
  }
  await deps.ok('/freezes/strict', { method: 'PUT', body })
  return { ...sample, body: { ...sample.body, override: true, reason: 'the leak is worse' } }
}

const frozenInstallation = (body: JsonObject) => () =>
  frozenScope(async (scope) => ({
    params: { bundleInstallId: await deps.installed(plain, { scope }) },
    body,
  }))

const frozenSave = (change: JsonObject) => () =>
  frozenScope(async (scope) => {
    await deps.installed(plain, { scope })
    const { environmentKey, applicationRuntimeId, workspaceId } = scope
    const params = { environmentKey, applicationRuntimeId, workspaceId: String(workspaceId) }
    const { snapshotVersion } = await deps.configuration(scope)
    return { params, body: { snapshotVersion, ...change } }
  })

const frozenOperation = (isWaiting: boolean) => () =>
  frozenScope(async (scope) => {
    const { operationId } = await deps.install(isWaiting ? patient : stuck, { scope })
    if (isWaiting) await until(() => waitForLong(deps.db, operationId))
    else await deps.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    return { params: { operationId }, body: { run: 1 } }
  })

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
const NAME = locatorOf(plain, 'main')

/** A call of each row that cannot succeed without a recent sign-in, and would succeed with one. */
const samples: Partial<Record<EndpointName, () => Promise<Sample>>> = {
  'POST /operations/{operationId}/takeover': async () => ({
    params: { operationId: await failedOperation() },
    body: { run: 1, reason: 'it is over' },
  }),
  'POST /batches': async () => ({ body: await batchOf('TAKEOVER', 1) }),
  'POST /batches/{batchId}/continue': async () => ({
    params: { batchId: await pausedBatch('TAKEOVER') },
    body: {},
  }),
  'POST /change-requests/{changeRequestId}/schedule': async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const body = { revision: 1, notBefore: at(1), notAfter: at(2), timeZone: 'UTC' }
    return { params: { changeRequestId: await requestedTakeover() }, body }
  },
  'POST /change-requests/{changeRequestId}/apply': async () => {
    const changeRequestId = await requestedTakeover()
    const { planToken } = await deps.ok(`/change-requests/${changeRequestId}/plan`, {})
    return { params: { changeRequestId }, body: { revision: 1, planToken: String(planToken) } }
  },
  'POST /plugins/{pluginId}/credentials': async () => ({ params: { pluginId: 'holder' }, body: {} }),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': async () => ({
    params: { pluginId: 'holder', credentialId: await credential() },
  }),
  'POST /installations': () =>
    frozenScope((scope) =>
      Promise.resolve({
        body: { scope: { ...scope }, bundle: { ...plain.bundle }, targetVersion: '1.0.0' },
      }),
    ),
  'POST /installations/{bundleInstallId}/upgrade': frozenInstallation({ targetVersion: '2.0.0' }),
  'POST /installations/{bundleInstallId}/detach': frozenInstallation({}),
  'POST /installations/{bundleInstallId}/unprotect': async () => {
    const bundleInstallId = await deps.installed(plain, { scope: deps.newScope() })
    const path = `/installations/${bundleInstallId}/protect`
    await deps.ok(path, { method: 'POST', body: { reason: 'it serves everybody' } })
    return { params: { bundleInstallId }, body: { reason: 'it moved' } }
  },
  'POST /operations/{operationId}/retry': frozenOperation(false),
  'POST /operations/{operationId}/attempt-now': frozenOperation(true),
  'POST /operations/{operationId}/stop-retrying': frozenOperation(true),
  [`PATCH ${base}` as const]: frozenSave({ changes: { [NAME]: wrapped({ name: 'a' }) } }),
  [`PUT ${base}` as const]: frozenSave({ resources: { [NAME]: { properties: wrapped({ name: 'a' }) } } }),
  'PUT /change-policies/{environmentKey}': () =>
    Promise.resolve({
      params: { environmentKey: `lab-${crypto.randomUUID().slice(0, 8)}` },
      body: { requiredFor: [], approvals: 1, updatedAt: null },
    }),
  'PUT /plugin-policies/{environmentKey}': () =>
    Promise.resolve({ params: { environmentKey: 'lab' }, body: { policy: 'IGNORE' } }),
  'PUT /freezes/{name}': existingFreeze,
  'DELETE /freezes/{name}': async () => ({ params: (await existingFreeze()).params }),
  'POST /plugins/{pluginId}/retire': async () => retirement('retire'),
  'POST /plugins/{pluginId}/reinstate': async () => {
    const { params, body } = await retirement('retire')
    await deps.ok(`/plugins/${params.pluginId}/retire`, { method: 'POST', body })
    return retirement('reinstate', params.pluginId)
  },
}

async function call(
  name: EndpointName,
  { params = {}, body }: Sample,
  assertion: AssertionOptions = {},
  key: string = crypto.randomUUID(),
): Promise<TestAnswer> {
  const { method, path } = splitName(name)
  return deps.http.call(fillPath(path, params), {
    method,
    ...(body !== undefined && { body }),
    key,
    headers: { 'x-runtime-actor-assertion': await deps.http.assertion(assertion) },
  })
}

const signedIn = (secondsAgo: number) => ({
  claims: { auth_time: Math.floor(Date.now() / 1000) - secondsAgo },
})
// without this, the test helper adds the time
const unknown = { claims: { auth_time: undefined as unknown as JsonValue } }

const guarded = rows.filter(([, { recentSignIn }]) => recentSignIn !== undefined)

it('is required by exactly the rows that list its code (F08)', () => {
  const coded = rows.filter(([, { codes }]) => codes.includes('RECENT_SIGN_IN_REQUIRED'))
  assert.deepEqual(
    guarded.map(([name]) => name),
    coded.map(([name]) => name),
  )
  assert.deepEqual(guarded.map(([name]) => name).toSorted(), Object.keys(samples).toSorted())
})

for (const [name] of guarded) {
  describe(name, () => {
    const sample = async (): Promise<Sample> => (await samples[name]?.()) ?? assert.fail('has no sample')

    it('is refused without a recent sign-in, and the same request succeeds after one (F08, G07)', async () => {
      const request = await sample()
      const key = crypto.randomUUID()
      const old = [unknown, signedIn(LIMIT_SECONDS + 1), signedIn(-3_600), signedIn(-1e18)]
      for (const when of old) {
        const answer = await call(name, request, when, key)
        assert.equal(answer.errorCode, 'RECENT_SIGN_IN_REQUIRED', JSON.stringify(when))
      }
      // a refusal is no response to the key: the person repeats the request
      const answer = await call(name, request, signedIn(LIMIT_SECONDS - 5), key)
      assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
      // a repeat does nothing, so it needs nothing
      assert.equal((await call(name, request, signedIn(LIMIT_SECONDS + 1), key)).errorCode, '0')
    })

    it('refuses a forged time, and still refuses a person without the permission first (F08)', async () => {
      const request = await sample()
      const { privateKey } = await generateKeyPair('EdDSA')
      const forged = await call(name, request, { ...signedIn(0), key: privateKey })
      assert.equal(forged.status, 401)
      const reader: Grant[] = [{ permissions: ['read'], scope: null }]
      const denied = await call(name, request, { ...signedIn(LIMIT_SECONDS + 1), grants: reader })
      assert.equal(denied.errorCode, 'PERMISSION_DENIED')
      const stranger = await call(name, request, { ...signedIn(LIMIT_SECONDS + 1), grants: [] })
      assert.notEqual(stranger.errorCode, 'RECENT_SIGN_IN_REQUIRED')
    })
  })
}

it('is not required for other batches, for plans or for a new freeze', async () => {
  const old = signedIn(LIMIT_SECONDS + 1)
  assert.equal((await call('PUT /freezes/{name}', pastFreeze('new'), old)).errorCode, '0')
  assert.equal((await call('POST /batches', { body: await batchOf('RETRY', 1) }, old)).errorCode, '0')
  const params = { batchId: await pausedBatch('RETRY') }
  assert.equal((await call('POST /batches/{batchId}/continue', { params, body: {} }, old)).errorCode, '0')
  const { reason: _, ...plan } = await batchOf('TAKEOVER', 1)
  assert.equal((await call('POST /batches/plan', { body: plan }, old)).errorCode, '0')
})

it('lets a batch of takeovers end its items long after the sign-in', async () => {
  const params = { batchId: await pausedBatch('TAKEOVER') }
  await call('POST /batches/{batchId}/continue', { params, body: {} }, signedIn(LIMIT_SECONDS - 2))
  const items = async () =>
    (await deps.ok(`/batches/${params.batchId}/items`, {}))['items'] as { operationId?: string }[]
  await until(async () => (await items()).every(({ operationId }) => operationId !== undefined))
})
