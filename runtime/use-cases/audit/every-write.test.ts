import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fillPath, isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { auditActionOf, runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import type { TestAnswer } from '../../testing/http.ts'
import { SAMPLE_BODIES, SAMPLE_PARAMS } from '../../testing/rows.ts'
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
  await deps.register('guard', 'holder', 'unsure', 'tenants')
  await deps.publish(plain, plainNext, guarded, patient)
})
after(() => deps.close())

let plugins = 0

interface Sample {
  params?: Record<string, string | number>
  body?: JsonObject
}

async function failedOperation(): Promise<Sample> {
  const { operationId } = await deps.install(guarded, { scope: deps.newScope() })
  await deps.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
  return { params: { operationId } }
}

async function failedCause(): Promise<{ causeId: string; updatedAt: string }> {
  const { params } = await failedOperation()
  const { causeId } = await deps.ok(`/operations/${params?.['operationId']}`, {})
  const { updatedAt } = await deps.ok(`/causes/${String(causeId)}`, {})
  return { causeId: String(causeId), updatedAt: String(updatedAt) }
}

/** An operation whose next attempt is due in an hour. */
async function waitingOperation(): Promise<Sample> {
  const { operationId } = await deps.install(patient, { scope: deps.newScope() })
  await until(() => waitForLong(deps.db, operationId))
  return { params: { operationId } }
}

async function configured(): Promise<{ scope: Scope; snapshotVersion: number; bundleInstallId: string }> {
  const scope = deps.newScope()
  const bundleInstallId = await deps.installed(plain, { scope })
  const { snapshotVersion } = await deps.configuration(scope)
  return { scope, snapshotVersion, bundleInstallId }
}

async function newPlugin(): Promise<Sample & { body: JsonObject }> {
  const pluginId = `gone-${++plugins}`
  const body = SAMPLE_BODIES['PUT /plugins/{pluginId}'] ?? {}
  const { updatedAt } = await deps.ok(`/plugins/${pluginId}`, { method: 'PUT', body })
  return { params: { pluginId }, body: { reason: 'gone for good', updatedAt: String(updatedAt) } }
}

async function retiredPlugin(): Promise<Sample> {
  const { params, body } = await newPlugin()
  const path = `/plugins/${String(params?.['pluginId'])}/retire`
  const { updatedAt } = await deps.ok(path, { method: 'POST', body })
  return { params: params ?? {}, body: { ...body, updatedAt: String(updatedAt) } }
}

async function newCredential(): Promise<Sample> {
  const data = await deps.ok('/plugins/holder/credentials', { method: 'POST', body: {} })
  return { params: { pluginId: 'holder', credentialId: String(data['credentialId']) } }
}

async function pausedBatch(): Promise<Sample> {
  const targets = [(await configured()).bundleInstallId, (await configured()).bundleInstallId]
  const body = { action: 'UPGRADE', title: 'Next', targets, input: { targetVersion: '2.0.0' }, first: 1 }
  const { batch } = (await deps.ok('/batches', { method: 'POST', body })) as { batch: { batchId: string } }
  await until(async () => (await deps.ok(`/batches/${batch.batchId}`, {}))['state'] === 'PAUSED')
  return { params: { batchId: batch.batchId } }
}

const place = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}' as const

/**
 * A successful call of each write; a missing one is a compile error. Parameters and body are those of the samples of all
 * rows, unless the call needs others here.
 */
const samples: { [Name in WriteName]: () => Sample | Promise<Sample> } = {
  'POST /installations': () => ({
    body: { scope: { ...deps.newScope() }, bundle: { ...plain.bundle }, targetVersion: '1.0.0' },
  }),
  'POST /installations/{bundleInstallId}/upgrade': installation,
  'POST /installations/{bundleInstallId}/detach': installation,
  'POST /installations/{bundleInstallId}/protect': installation,
  'POST /installations/{bundleInstallId}/unprotect': protectedInstallation,
  'POST /installations/{bundleInstallId}/pin': installation,
  'POST /installations/{bundleInstallId}/unpin': pinnedInstallation,
  'POST /operations/{operationId}/retry': failedOperation,
  'POST /operations/{operationId}/pause': waitingOperation,
  'POST /operations/{operationId}/resume': async () => {
    const { params } = await waitingOperation()
    return paused(`/operations/${String(params?.['operationId'])}`, params)
  },
  'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/pause': inScope,
  'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/resume': async () => {
    const { params } = await inScope()
    const { environmentKey, applicationRuntimeId, workspaceId } = params as unknown as Scope
    return paused(`/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}`, params)
  },
  'POST /plugins/{pluginId}/pause': pluginToPause,
  'POST /plugins/{pluginId}/resume': async () => {
    const { params } = await pluginToPause()
    return paused(`/plugins/${String(params?.['pluginId'])}`, params)
  },
  'POST /operations/{operationId}/attempt-now': waitingOperation,
  'POST /operations/{operationId}/stop-retrying': waitingOperation,
  'POST /operations/{operationId}/takeover': failedOperation,
  'PUT /operations/{operationId}/assignee': failedOperation,
  'POST /operations/{operationId}/notes': failedOperation,
  'POST /operations/assign': async () => {
    const { params } = await failedOperation()
    return { body: { operationIds: [String(params?.['operationId'])], assignee: null } }
  },
  'PATCH /causes/{causeId}': async () => {
    const { causeId, updatedAt } = await failedCause()
    return { params: { causeId }, body: { updatedAt, state: 'WAITING' } }
  },
  'POST /causes/{causeId}/notes': async () => ({ params: { causeId: (await failedCause()).causeId } }),
  'POST /batches': async () => ({
    body: { ...SAMPLE_BODIES['POST /batches'], targets: [(await configured()).bundleInstallId] },
  }),
  'POST /batches/{batchId}/continue': pausedBatch,
  'POST /batches/{batchId}/stop': pausedBatch,
  'POST /change-requests': async () => ({ body: (await proposal(false)).body }),
  'PATCH /change-requests/{changeRequestId}': () => proposed(),
  'POST /change-requests/{changeRequestId}/submit': () => proposed({ submit: false }),
  'POST /change-requests/{changeRequestId}/approve': async () => {
    const sample = await proposed({ actor: 'carl' })
    const { effect } = await deps.ok(`/change-requests/${sample.params.changeRequestId}/plan`, {})
    return { ...sample, body: { revision: 1, effect: String(effect) } }
  },
  'POST /change-requests/{changeRequestId}/reject': () => proposed({ actor: 'carl' }),
  'POST /change-requests/{changeRequestId}/withdraw': () => proposed(),
  'POST /change-requests/{changeRequestId}/rebase': () => proposed(),
  'POST /change-requests/{changeRequestId}/apply': async () => {
    const sample = await proposed()
    const { planToken } = await deps.ok(`/change-requests/${sample.params.changeRequestId}/plan`, {})
    return { ...sample, body: { revision: 1, planToken: String(planToken) } }
  },
  'POST /change-requests/{changeRequestId}/schedule': async () => ({
    ...(await proposed()),
    body: {
      revision: 1,
      notBefore: new Date(Date.now() + 3_600_000).toISOString(),
      notAfter: new Date(Date.now() + 7_200_000).toISOString(),
      timeZone: 'UTC',
    },
  }),
  'POST /change-requests/{changeRequestId}/unschedule': () => proposed(),
  'POST /change-requests/{changeRequestId}/comments': () => proposed(),
  'PUT /change-policies/{environmentKey}': () => ({ params: { environmentKey: `env-${++plugins}` } }),
  [`PATCH ${place}/configuration` as const]: async () => {
    const { scope, snapshotVersion } = await configured()
    return { params: { ...scope }, body: { snapshotVersion, changes: { [NAME]: wrapped({ name: 'a' }) } } }
  },
  [`PUT ${place}/configuration` as const]: async () => {
    const { scope, snapshotVersion } = await configured()
    const resources = { [NAME]: { properties: wrapped({ name: 'b' }) } }
    return { params: { ...scope }, body: { snapshotVersion, resources } }
  },
  [`PUT ${place}/local-services/{serviceName}` as const]: () => ({ params: { ...deps.newScope() } }),
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/deprecate': () => publishedVersion('3.1.0'),
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/recall': () => publishedVersion('3.2.0'),
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/reinstate': async () => {
    const sample = await publishedVersion('3.3.0')
    const { environmentKey, bundleId } = plain.bundle
    const path = `/bundles/${environmentKey}/${bundleId}/versions/3.3.0/recall`
    await deps.ok(path, { method: 'POST', body: { message: 'it loses data' } })
    return sample
  },
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': () => ({
    params: { ...plain.bundle, version: '3.0.0' },
    body: { ...plain, version: '3.0.0' } as unknown as JsonObject,
  }),
  'PUT /plugins/{pluginId}': () => ({ params: { pluginId: 'other' } }),
  'POST /plugins/{pluginId}/retire': () => newPlugin(),
  'POST /plugins/{pluginId}/reinstate': () => retiredPlugin(),
  'POST /plugins/{pluginId}/credentials': () => ({}),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': newCredential,
  'PUT /plugins/{pluginId}/reports/{version}': () => ({}),
  'PUT /plugin-policies/{environmentKey}': () => ({}),
  'PUT /services/{serviceId}': () => ({}),
  'PUT /freezes/{name}': () => ({}),
  'DELETE /freezes/{name}': newFreeze,
  'POST /webhooks': () => ({}),
  'PUT /webhooks/{webhookId}': newWebhook,
  'DELETE /webhooks/{webhookId}': newWebhook,
  'POST /webhooks/{webhookId}/test': newWebhook,
}

async function proposal(submit: boolean): Promise<{ body: JsonObject }> {
  const { bundleInstallId } = await configured()
  return { body: { kind: 'DETACH', title: 'Old pilot', submit, input: { bundleInstallId } } }
}

/** A change request of `actor`. */
async function proposed({ submit = true, actor = 'ada' } = {}) {
  const call = { method: 'POST', ...(await proposal(submit)), actor }
  const { changeRequest } = (await deps.ok('/change-requests', call)) as {
    changeRequest: { changeRequestId: string }
  }
  return { params: { changeRequestId: changeRequest.changeRequestId } }
}

async function installation(): Promise<Sample> {
  return { params: { bundleInstallId: (await configured()).bundleInstallId } }
}

async function inScope(): Promise<Sample> {
  return { params: { ...(await configured()).scope } }
}

async function pluginToPause(): Promise<Sample> {
  const { params } = await newPlugin()
  return { params: params ?? {} }
}

async function paused(path: string, params: Sample['params']): Promise<Sample> {
  await deps.ok(`${path}/pause`, { method: 'POST', body: { reason: 'we look at it' } })
  return { params: params ?? {} }
}

async function protectedInstallation(): Promise<Sample> {
  const sample = await installation()
  const path = `/installations/${String(sample.params?.['bundleInstallId'])}/protect`
  await deps.ok(path, { method: 'POST', body: { reason: 'it serves everybody' } })
  return sample
}

async function pinnedInstallation(): Promise<Sample> {
  const sample = await installation()
  const path = `/installations/${String(sample.params?.['bundleInstallId'])}/pin`
  await deps.ok(path, { method: 'POST', body: { versions: '1.x', reason: 'it was certified' } })
  return sample
}

async function publishedVersion(version: string): Promise<Sample> {
  const { environmentKey, bundleId } = plain.bundle
  const body = { ...plain, version } as unknown as JsonObject
  await deps.ok(`/bundles/${environmentKey}/${bundleId}/versions/${version}`, { method: 'PUT', body })
  return { params: { environmentKey, bundleId, version } }
}

let freezes = 0
async function newFreeze(): Promise<Sample> {
  const name = `freeze-${++freezes}`
  await deps.ok(`/freezes/${name}`, { method: 'PUT', body: SAMPLE_BODIES['PUT /freezes/{name}'] ?? {} })
  return { params: { name } }
}

async function newWebhook(): Promise<Sample> {
  const body = SAMPLE_BODIES['POST /webhooks'] ?? {}
  const data = await deps.ok('/webhooks', { method: 'POST', body })
  return { params: { webhookId: String((data['webhook'] as JsonObject)['webhookId']) } }
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
      { params, body = SAMPLE_BODIES[name] }: Sample,
      extra: { key?: string; grants?: Grant[]; actor?: string } = {},
    ) => {
      const { method, path } = splitName(name)
      return deps.http.call(fillPath(path, { ...SAMPLE_PARAMS, ...params }), {
        method,
        ...(body && { body }),
        ...extra,
      })
    }

    it('is audited once per refusal and success, not for a repeat, and by its actual effect when sent with a new key (G08)', async () => {
      const sample = await samples[name as WriteName]()
      const action = auditActionOf(name as WriteName)
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
        const body = sample.body ?? SAMPLE_BODIES[name]
        const answer = await send({ ...sample, body: { ...body, nonsense: 1 } })
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
  if (action === 'webhook.delete' || action === 'freeze.delete') {
    assert.equal(answer.errorCode, 'NOT_FOUND')
    return assert.deepEqual(entries, [])
  }
  // ada has approved before, eve has not
  const unchanged = [
    'bundle.publish',
    'plugin.credential.revoke',
    ...(actor === 'ada' ? ['change.approve'] : []),
  ]
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
