import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fillPath, isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import type { TestAnswer } from '../../testing/http.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../../testing/rules.ts'
import { until } from '../../testing/stream.ts'
import type { RuleHarness } from '../../testing/rules.ts'
import { waitForLong } from '../../testing/wait-for-long.ts'
import { verifyChain } from './verify-chain.ts'

// For every write of the contract: each effect and each refusal is audited once, and nothing else.

const plain = bundleOf('plain', { resources: [moduleOf('main', { name: TEXT })] })
const plainNext = { ...plain, version: '2.0.0' }
const guarded = bundleOf('guarded', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('guard', 1, { main: {} })],
})
const patient = bundleOf('patient', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('unsure', 1, { main: {} })],
})
const NAME = locatorOf(plain, 'main')

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  deps.plugin.script(({ pluginId }) => ({ outcome: pluginId === 'unsure' ? 'UNKNOWN' : 'FAILED' }))
  await deps.register('guard', 'holder', 'unsure')
  await deps.publish(plain, plainNext, guarded, patient)
})
after(() => deps.close())

interface Sample {
  action: AuditAction
  params?: Record<string, string | number>
  body?: JsonObject
}

async function failedOperation(): Promise<Sample['params']> {
  const { operationId } = await deps.install(guarded, { scope: deps.newScope() })
  await deps.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
  return { operationId }
}

/** An operation whose next attempt is due in an hour. */
async function waitingOperation(): Promise<{ operationId: string }> {
  const { operationId } = await deps.install(patient, { scope: deps.newScope() })
  await until(() => waitForLong(deps.db, operationId))
  return { operationId }
}

async function configured(): Promise<{ scope: Scope; snapshotVersion: number; bundleInstallId: string }> {
  const scope = deps.newScope()
  const bundleInstallId = await deps.installed(plain, { scope })
  const { snapshotVersion } = await deps.configuration(scope)
  return { scope, snapshotVersion, bundleInstallId }
}

async function newCredential(): Promise<string> {
  const data = await deps.ok('/plugins/holder/credentials', { method: 'POST', body: {} })
  return String(data['credentialId'])
}

async function pausedBatch(): Promise<string> {
  const targets = [(await configured()).bundleInstallId, (await configured()).bundleInstallId]
  const body = { action: 'UPGRADE', title: 'Next', targets, input: { targetVersion: '2.0.0' }, first: 1 }
  const { batch } = (await deps.ok('/batches', { method: 'POST', body })) as { batch: { batchId: string } }
  await until(async () => (await deps.ok(`/batches/${batch.batchId}`, {}))['state'] === 'PAUSED')
  return batch.batchId
}

const place = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}' as const

/** A successful call of each write. A missing one is a compile error. */
const samples: { [Name in WriteName]: () => Promise<Sample> } = {
  'POST /installations': async () => ({
    action: 'installation.install',
    body: { scope: { ...deps.newScope() }, bundle: { ...plain.bundle }, targetVersion: '1.0.0' },
  }),
  'POST /installations/{bundleInstallId}/upgrade': async () => ({
    action: 'installation.upgrade',
    params: { bundleInstallId: (await configured()).bundleInstallId },
    body: { targetVersion: '2.0.0' },
  }),
  'POST /installations/{bundleInstallId}/detach': async () => ({
    action: 'installation.detach',
    params: { bundleInstallId: (await configured()).bundleInstallId },
    body: { reason: 'old' },
  }),
  'POST /operations/{operationId}/retry': async () => ({
    action: 'operation.retry',
    params: (await failedOperation()) ?? {},
    body: { run: 1 },
  }),
  'POST /operations/{operationId}/attempt-now': async () => ({
    action: 'operation.attempt-now',
    params: await waitingOperation(),
    body: { run: 1 },
  }),
  'POST /operations/{operationId}/stop-retrying': async () => ({
    action: 'operation.stop-retrying',
    params: await waitingOperation(),
    body: { run: 1, reason: 'old' },
  }),
  'POST /operations/{operationId}/takeover': async () => ({
    action: 'operation.takeover',
    params: (await failedOperation()) ?? {},
    body: { run: 1, reason: 'old' },
  }),
  'PUT /operations/{operationId}/assignee': async () => ({
    action: 'operation.assign',
    params: (await failedOperation()) ?? {},
    body: { assignee: null, expected: null },
  }),
  'POST /operations/{operationId}/notes': async () => ({
    action: 'operation.note',
    params: (await failedOperation()) ?? {},
    body: { text: 'Called the owner' },
  }),
  'POST /batches': async () => ({
    action: 'batch.create',
    body: {
      action: 'DETACH',
      title: 'Old pilots',
      targets: [(await configured()).bundleInstallId],
      reason: 'old',
    },
  }),
  'POST /batches/{batchId}/continue': async () => ({
    action: 'batch.continue',
    params: { batchId: await pausedBatch() },
    body: {},
  }),
  'POST /batches/{batchId}/stop': async () => ({
    action: 'batch.stop',
    params: { batchId: await pausedBatch() },
    body: {},
  }),
  [`PATCH ${place}/configuration` as const]: async () => {
    const { scope, snapshotVersion } = await configured()
    const body = { snapshotVersion, changes: { [NAME]: wrapped({ name: 'a' }) } }
    return { action: 'configuration.save', params: { ...scope }, body }
  },
  [`PUT ${place}/configuration` as const]: async () => {
    const { scope, snapshotVersion } = await configured()
    const body = { snapshotVersion, resources: { [NAME]: { properties: wrapped({ name: 'b' }) } } }
    return { action: 'configuration.save', params: { ...scope }, body }
  },
  [`PUT ${place}/local-services/{serviceName}` as const]: async () => ({
    action: 'local-service.save',
    params: { ...deps.newScope(), serviceName: 'search' },
    body: { values: { a: 1 }, version: 0 },
  }),
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': async () => ({
    action: 'bundle.publish',
    params: { ...plain.bundle, version: '3.0.0' },
    body: { ...plain, version: '3.0.0' } as unknown as JsonObject,
  }),
  'PUT /plugins/{pluginId}': async () => ({
    action: 'plugin.save',
    params: { pluginId: 'other' },
    body: { title: 'Other', endpoint: 'http://127.0.0.1:9/', enabled: true },
  }),
  'POST /plugins/{pluginId}/credentials': async () => ({
    action: 'plugin.credential.create',
    params: { pluginId: 'guard' },
    body: {},
  }),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': async () => ({
    action: 'plugin.credential.revoke',
    params: { pluginId: 'holder', credentialId: await newCredential() },
  }),
  'PUT /plugins/{pluginId}/reports/{version}': () =>
    Promise.resolve({
      action: 'plugin.report',
      params: { pluginId: 'guard', version: '1.0.0' },
      body: {
        report: {
          format: 'bundle-console/plugin-check-report',
          version: 1,
          checkerVersion: '0.1.0',
          pluginId: 'guard',
          startedAt: '2026-11-23T05:00:00.000Z',
          cases: [],
        },
      },
    }),
  'PUT /plugin-policies/{environmentKey}': () =>
    Promise.resolve({
      action: 'plugin.policy',
      params: { environmentKey: 'elsewhere' },
      body: { policy: 'WARN' },
    }),
  'PUT /services/{serviceId}': async () => ({
    action: 'service.save',
    params: { serviceId: 'mail' },
    body: {
      title: 'Mail',
      url: 'http://127.0.0.1:9/mail',
      methods: [],
      owner: null,
      consumers: [],
      enabled: true,
    },
  }),
  'POST /webhooks': () => Promise.resolve({ action: 'webhook.create', body: webhookBody() }),
  'PUT /webhooks/{webhookId}': async () => ({
    action: 'webhook.save',
    params: { webhookId: await newWebhook() },
    body: { ...webhookBody(), enabled: false },
  }),
  'DELETE /webhooks/{webhookId}': async () => ({
    action: 'webhook.delete',
    params: { webhookId: await newWebhook() },
  }),
  'POST /webhooks/{webhookId}/test': async () => ({
    action: 'webhook.test',
    params: { webhookId: await newWebhook() },
    body: {},
  }),
}

function webhookBody(): JsonObject {
  const events = ['operation.failed']
  return { title: 'On call', url: 'http://127.0.0.1:9/hook', events, scope: null, retryingAfterMinutes: 30 }
}

async function newWebhook(): Promise<string> {
  const data = await deps.ok('/webhooks', { method: 'POST', body: webhookBody() })
  return String((data['webhook'] as JsonObject)['webhookId'])
}

const onlyReading: Grant[] = [{ permissions: ['read'], scope: null }]
const entriesOf = (answer: TestAnswer) =>
  deps.db
    .selectFrom('runtime.audit_entry')
    .select(['action', 'outcome', 'actor_id'])
    .where('request_id', '=', answer.headers.get('x-request-id') ?? 'none')
    .execute()

for (const [name, row] of Object.entries(runtimeApi) as [EndpointName, EndpointRow][]) {
  if (!isWrite(name, row)) continue
  describe(name, () => {
    const send = (
      { params = {}, body }: Sample,
      extra: { key?: string; grants?: Grant[]; actor?: string } = {},
    ) => {
      const { method, path } = splitName(name)
      return deps.http.call(fillPath(path, params), { method, ...(body && { body }), ...extra })
    }

    it('is audited once per refusal and success, not for a repeat, and by its actual effect when sent with a new key', async () => {
      const sample = await samples[name as WriteName]()
      const { action } = sample
      const denied = await send(sample, { grants: onlyReading, actor: 'bob' })
      assert.equal(denied.errorCode, 'PERMISSION_DENIED')
      assert.deepEqual(await entriesOf(denied), [{ action, outcome: 'REFUSED', actor_id: 'bob' }])

      const done = await send(sample, { key: 'k' })
      assert.equal(done.errorCode, '0', JSON.stringify(done.json))
      assert.deepEqual(await entriesOf(done), [{ action, outcome: 'DONE', actor_id: 'ada' }])

      const repeated = await send(sample, { key: 'k' })
      assert.equal(repeated.errorCode, '0')
      assert.deepEqual(await entriesOf(repeated), [])
      const other = await send(sample, { key: 'k', actor: 'eve' })
      await assertTold(other, action, 'eve')
      await assertTold(await send(sample), action, 'ada')
    })

    if (row.body !== undefined) {
      it('is not audited if the request is invalid', async () => {
        const sample = await samples[name as WriteName]()
        const answer = await send({ ...sample, body: { ...sample.body, nonsense: 1 } })
        assert.match(answer.errorCode, /^(REQUEST|MANIFEST)_INVALID$/)
        assert.deepEqual(await entriesOf(answer), [])
      })
    }
  })
}

/** An effective success and a refusal of a valid request are audited once; anything else is not audited. */
async function assertTold(answer: TestAnswer, action: string, actor: string): Promise<void> {
  const entries = await entriesOf(answer)
  if (answer.errorCode === 'REQUEST_INVALID') return assert.deepEqual(entries, [])
  // what was deleted no longer exists
  if (action === 'webhook.delete') {
    assert.equal(answer.errorCode, 'NOT_FOUND')
    return assert.deepEqual(entries, [])
  }
  const unchanged = ['bundle.publish', 'plugin.credential.revoke']
  if (answer.errorCode === '0' && unchanged.includes(action)) return assert.deepEqual(entries, [])
  const outcome = answer.errorCode === '0' ? 'DONE' : 'REFUSED'
  assert.deepEqual(entries, [{ action, outcome, actor_id: actor }], answer.errorCode)
}

describe('the audit', () => {
  it('records a save once for each owner, and a save without changes not at all', async () => {
    const scope = deps.newScope()
    const second = { ...plain, bundle: { ...plain.bundle, bundleId: 'second' } }
    await deps.publish(second)
    const owners = [await deps.installed(plain, { scope }), await deps.installed(second, { scope })]
    const changes = {
      [NAME]: { name: wrapData('a') },
      [locatorOf(second, 'main')]: { name: wrapData('b') },
    }
    const saved = await deps.save(scope, changes)
    const entries = await deps.db
      .selectFrom('runtime.audit_entry')
      .select(['bundle_install_id', 'changes'])
      .where('request_id', '=', saved.headers.get('x-request-id'))
      .execute()
    assert.deepEqual(entries.map((entry) => entry.bundle_install_id ?? '').toSorted(), owners.toSorted())
    assert.deepEqual(
      entries.map((entry) => entry.changes.length),
      [1, 1],
    )
    for (const { operationId } of saved.data['operations'] as { operationId: string }[])
      await deps.succeeds(operationId)
    assert.deepEqual(await entriesOf(await deps.save(scope, changes)), [])
  })

  it('is still valid after all of this', async () => {
    assert.equal((await verifyChain(deps.db)).holds, true)
  })
})
