import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { Batch } from '#contract/runtime-api/batches.ts'
import { Freeze, Restriction } from '#contract/runtime-api/freezes.ts'
import { OperationPlan } from '#contract/runtime-api/plans.ts'
import type { TestAnswer } from '../testing/http.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { until } from '../testing/stream.ts'

// A freeze refuses changes on every way in, and lets recovery pass unless it forbids that.

const bundle = bundleOf('frozen', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('setter', 1, { main: {} })],
})
const next = { ...bundle, version: '2.0.0' }
const NAME = locatorOf(bundle, 'main')

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('setter')
  await harness.publish(bundle, next)
})
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))
after(() => harness.close())

const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString()
const ALL = ['CONFIGURE', 'INSTALL', 'UPGRADE', 'DETACH', 'TAKEOVER', 'BATCH']
let freezes = 0

/** An active freeze of one scope. */
async function freeze(scope: Scope, settings: JsonObject = {}): Promise<Freeze> {
  const body = {
    scopes: [{ ...scope }],
    from: hours(-1),
    to: hours(1),
    timeZone: 'Europe/Berlin',
    blocks: ALL,
    message: 'Year end. Ask Ada.',
    ...settings,
  }
  const name = `freeze-${++freezes}`
  return Freeze.parse(await harness.ok(`/freezes/${name}`, { method: 'PUT', body }))
}

const post = (path: string, body: JsonObject, call: { grants?: Grant[] } = {}): Promise<TestAnswer> =>
  harness.http.call(path, { method: 'POST', body, ...call })
const without = (permission: string): Grant[] => [
  { permissions: PERMISSIONS.filter((one) => one !== permission), scope: null },
]

async function failed(scope: Scope) {
  harness.plugin.script(() => ({ outcome: 'FAILED' }))
  const { operationId } = await harness.install(bundle, { scope })
  return harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
}

describe('a freeze', () => {
  it('refuses every kind of change with its end and its message, and plans say so before', async () => {
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    const { to } = await freeze(scope)
    const { snapshotVersion } = await harness.configuration(scope)
    const changes = { [NAME]: wrapped({ name: 'a' }) }
    const answers = [
      await harness.save(scope, changes),
      await harness.http.call(`${placeOf(scope)}/configuration`, {
        method: 'PUT',
        body: { snapshotVersion, resources: { [NAME]: { properties: wrapped({ name: 'b' }) } } },
      }),
      await post(`/installations/${id}/upgrade`, { targetVersion: '2.0.0' }),
      await post(`/installations/${id}/detach`, { reason: 'gone' }),
    ]
    for (const { errorCode, json } of answers) {
      assert.equal(errorCode, 'CHANGES_FROZEN')
      assert.deepEqual((json['data'] as JsonObject)['parameters'], {
        reason: 'changesFrozen',
        until: to,
        text: 'Year end. Ask Ada.',
      })
    }
    const other = harness.newScope()
    await freeze(other)
    const install = await post('/installations', {
      scope: { ...other },
      bundle: { ...bundle.bundle },
      targetVersion: '1.0.0',
    })
    assert.equal(install.errorCode, 'CHANGES_FROZEN')
    const plan = OperationPlan.parse(
      await harness.ok(`/installations/${id}/upgrade/plan`, {
        method: 'POST',
        body: { targetVersion: '2.0.0' },
      }),
    )
    assert.deepEqual(
      plan.problems.map(({ errorCode }) => errorCode),
      ['CHANGES_FROZEN'],
    )
    const { items } = await harness.ok(`${placeOf(scope)}/restrictions`, {})
    assert.deepEqual(
      Restriction.array()
        .parse(items)
        .map(({ kind, until: end, blocksRecovery }) => [kind, end, blocksRecovery]),
      ALL.map((kind) => [kind, to, false]),
    )
    // a save that changes nothing is none
    assert.equal((await harness.save(scope, { [NAME]: {} })).errorCode, '0')
  })

  it('is audited in a scope only if it has no other, and had none: the entry names them (G02)', async () => {
    const [kept, left] = [harness.newScope(), harness.newScope()]
    const { name } = await freeze(kept, { scopes: [{ ...kept }, { ...left }] })
    const only = (scopes: Scope[]) => ({
      method: 'PUT',
      body: {
        scopes: scopes.map((scope) => ({ ...scope })),
        from: hours(-1),
        to: hours(1),
        timeZone: 'UTC',
        blocks: ['CONFIGURE'],
        message: 'Year end',
      },
    })
    await harness.ok(`/freezes/${name}`, only([kept]))
    await harness.ok(`/freezes/${name}`, only([kept]))
    await harness.ok(`/freezes/${name}`, { method: 'DELETE' })
    const grants: Grant[] = [{ permissions: ['read', 'audit:read'], scope: kept }]
    const { items } = await harness.ok('/audit', { grants, actor: 'vic' })
    assert.deepEqual(
      (items as { action: string }[]).map(({ action }) => action),
      ['freeze.delete', 'freeze.save'],
    )
    assert.ok(!JSON.stringify(items).includes(`"workspaceId":${left.workspaceId}`))
  })

  it('lets recovery pass unless it forbids that, also for a takeover', async () => {
    const scope = harness.newScope()
    const operation = await failed(scope)
    const path = `/operations/${operation.operationId}`
    const strict = await freeze(scope, { allowsRecovery: false })
    assert.equal((await post(`${path}/retry`, { run: 1 })).errorCode, 'CHANGES_FROZEN')
    const takeover = { run: 1, reason: 'it cannot end' }
    assert.equal((await post(`${path}/takeover`, takeover)).errorCode, 'CHANGES_FROZEN')
    await harness.ok(`/freezes/${strict.name}`, { method: 'DELETE' })
    await freeze(scope)
    assert.equal((await post(`${path}/retry`, { run: 1 })).errorCode, '0')
    const again = await harness.fails(operation.operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.equal((await post(`${path}/takeover`, { ...takeover, run: again.run })).errorCode, '0')
  })

  it('is overridden only with the permission and a reason; operation and audit say so for ever', async () => {
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    await freeze(scope)
    const path = `/installations/${id}/upgrade`
    const body = { targetVersion: '2.0.0', override: true, reason: 'the leak is worse' }
    const denied = await post(path, body, { grants: without('change:override') })
    assert.equal(denied.errorCode, 'PERMISSION_DENIED')
    assert.equal((await post(path, { ...body, reason: undefined! })).errorCode, 'REQUEST_INVALID')
    const done = await post(path, body)
    assert.equal(done.errorCode, '0', JSON.stringify(done.json))
    const { operationId } = (done.data as { operation: { operationId: string } }).operation
    assert.equal((await harness.succeeds(operationId)).overridden, true)
    const entry = await harness.db
      .selectFrom('runtime.audit_entry')
      .select(['changes', 'reason'])
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow()
    assert.equal(entry.reason, 'the leak is worse')
    assert.ok(entry.changes.some(({ property }) => property === 'overridden'))
    // nothing refuses it here, so nothing is overridden
    const free = harness.newScope()
    const other = await harness.installed(bundle, { scope: free })
    const upgraded = await post(`/installations/${other}/upgrade`, body, {
      grants: without('change:override'),
    })
    assert.equal(upgraded.errorCode, '0')
    assert.equal((upgraded.data as { operation: { overridden?: true } }).operation.overridden, undefined)
  })

  it('refuses the items of a batch that began before it, and a batch that overrides it goes on', async () => {
    const [free, frozen] = [harness.newScope(), harness.newScope()]
    const targets = [
      await harness.installed(bundle, { scope: free }),
      await harness.installed(bundle, { scope: frozen }),
    ]
    const body = { action: 'UPGRADE', title: 'Next', targets, input: { targetVersion: '2.0.0' } }
    const started = await harness.ok('/batches', { method: 'POST', body: { ...body, first: 1 } })
    const { batchId } = Batch.parse(started['batch'])
    const batch = async () => Batch.parse(await harness.ok(`/batches/${batchId}`, {}))
    await until(async () => (await batch()).state === 'PAUSED')
    await freeze(frozen, { blocks: ['BATCH'] })
    await post(`/batches/${batchId}/continue`, {})
    await until(async () => (await batch()).state === 'DONE')
    assert.deepEqual((await batch()).counts, {
      PENDING: 0,
      RUNNING: 0,
      SUCCEEDED: 1,
      FAILED: 0,
      REFUSED: 1,
      SKIPPED: 0,
    })
    const override = { ...body, targets: [targets[1] ?? ''], override: true }
    assert.equal((await post('/batches', override)).errorCode, 'REQUEST_INVALID')
    const denied = await post(
      '/batches',
      { ...override, reason: 'now' },
      { grants: without('change:override') },
    )
    assert.equal(denied.errorCode, 'PERMISSION_DENIED')
    const plan = await harness.ok('/batches/plan', {
      method: 'POST',
      body: { action: 'UPGRADE', targets: override.targets, input: body.input, override: true },
    })
    const made = await harness.ok('/batches', {
      method: 'POST',
      body: { ...override, reason: 'now', planToken: String(plan['planToken']) },
    })
    const { batchId: overriding, overrides } = Batch.parse(made['batch'])
    assert.equal(overrides, true)
    await until(async () => (await harness.ok(`/batches/${overriding}`, {}))['state'] === 'DONE')
    assert.equal((await harness.installation(targets[1] ?? '')).version, '2.0.0')
    // alone it is not a batch, so this freeze does not concern it
    const detached = await post(`/installations/${targets[1]}/detach`, { reason: 'gone' })
    assert.equal(detached.errorCode, '0')
  })
})

describe('a protected installation', () => {
  it('is neither detached nor taken over, not even by an override, until the protection is lifted', async () => {
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    const path = `/installations/${id}`
    await harness.ok(`${path}/protect`, { method: 'POST', body: { reason: 'It serves everybody.' } })
    const { protection } = await harness.installation(id)
    assert.deepEqual([protection?.by.name, protection?.reason], ['ada', 'It serves everybody.'])
    assert.equal((await post(`${path}/protect`, { reason: 'again' })).errorCode, 'REQUEST_INVALID')
    const detach = { reason: 'gone' }
    for (const body of [detach, { ...detach, override: true }]) {
      const { errorCode, json } = await post(`${path}/detach`, body)
      assert.equal(errorCode, 'INSTALLATION_PROTECTED')
      assert.match(JSON.stringify(json), /It serves everybody/)
    }
    const batch = await harness.ok('/batches/plan', {
      method: 'POST',
      body: { action: 'DETACH', targets: [id] },
    })
    assert.match(JSON.stringify(batch['items']), /INSTALLATION_PROTECTED/)
    // everything else goes on, and what fails can be retried
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const operation = await harness.upgrade(id, { targetVersion: '2.0.0' })
    const { run } = await harness.fails(operation, 'PLUGIN_REPORTED_FAILURE')
    const takeover = await post(`/operations/${operation}/takeover`, { run, reason: 'it cannot end' })
    assert.equal(takeover.errorCode, 'INSTALLATION_PROTECTED')
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    assert.equal((await post(`/operations/${operation}/retry`, { run })).errorCode, '0')
    await harness.succeeds(operation)
    await harness.ok(`${path}/unprotect`, { method: 'POST', body: { reason: 'It moved.' } })
    assert.equal((await harness.installation(id)).protection, undefined)
    await harness.succeeds(await harness.detach(id))
    assert.equal((await post(`${path}/protect`, detach)).errorCode, 'INSTALLATION_NOT_ACTIVE')
  })
})

describe('a pinned installation', () => {
  it('is upgraded only to versions of its pin, which its offers, the lists and batches respect', async () => {
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    const path = `/installations/${id}`
    const listed = async (query: string) => {
      const { environmentKey, applicationRuntimeId, workspaceId } = scope
      const place = `environmentKey=${environmentKey}&applicationRuntimeId=${applicationRuntimeId}&workspaceId=${workspaceId}`
      const { items } = await harness.ok(`/installations?${place}&${query}`, {})
      return (items as unknown[]).length
    }
    assert.equal((await harness.installation(id)).upgradeTo, '2.0.0')
    await harness.ok(`${path}/pin`, {
      method: 'POST',
      body: { versions: '1.x', reason: 'It was certified.' },
    })
    const { pin, upgradeTo } = await harness.installation(id)
    assert.deepEqual([pin?.versions, pin?.by.name, pin?.reason], ['1.x', 'ada', 'It was certified.'])
    assert.equal(upgradeTo, null)
    assert.deepEqual(
      [
        await listed('safeguard=pinned'),
        await listed('safeguard=protected'),
        await listed('upgrade=available'),
        await listed('upgrade=none'),
      ],
      [1, 0, 0, 1],
    )
    const upgrade = { targetVersion: '2.0.0' }
    for (const body of [upgrade, { ...upgrade, override: true, reason: 'now' }]) {
      const { errorCode, json } = await post(`${path}/upgrade`, body)
      assert.equal(errorCode, 'VERSION_PINNED')
      assert.match(
        JSON.stringify(json),
        /ada pinned the installation to 1\.x \(“It was certified\.”\)\. Choose/,
      )
    }
    const batch = await harness.ok('/batches/plan', {
      method: 'POST',
      body: { action: 'UPGRADE', targets: [id], input: upgrade },
    })
    assert.match(JSON.stringify(batch['items']), /VERSION_PINNED/)
    // another pin replaces it
    await harness.ok(`${path}/pin`, {
      method: 'POST',
      body: { versions: '2.0.0', reason: 'Certified again.' },
    })
    assert.equal((await harness.installation(id)).upgradeTo, '2.0.0')
    await harness.succeeds(await harness.upgrade(id, upgrade))
    await harness.ok(`${path}/unpin`, { method: 'POST', body: { reason: 'Not needed.' } })
    assert.equal((await harness.installation(id)).pin, undefined)
    assert.equal((await post(`${path}/unpin`, { reason: 'again' })).errorCode, 'REQUEST_INVALID')
  })
})

describe('a recalled version', () => {
  it('is neither offered nor installed, which nobody overrides, until it is reinstated', async () => {
    const recalled = { ...bundle, bundle: { ...bundle.bundle, bundleId: 'recalled' } }
    const versions = `/bundles/${recalled.bundle.environmentKey}/recalled/versions`
    for (const version of ['1.0.0', '2.0.0'])
      await harness.ok(`${versions}/${version}`, {
        method: 'PUT',
        body: JSON.parse(JSON.stringify({ ...recalled, version })),
      })
    const said = (version: string, action: string, body: JsonObject) =>
      post(`${versions}/${version}/${action}`, body)
    const id = await harness.installed({ ...recalled, version: '1.0.0' }, { scope: harness.newScope() })
    assert.equal((await harness.installation(id)).upgradeTo, '2.0.0')
    await said('1.0.0', 'deprecate', { message: 'Use 2.0.0.' })
    assert.deepEqual((await harness.installation(id)).standing, { kind: 'DEPRECATED', message: 'Use 2.0.0.' })
    await said('2.0.0', 'recall', { message: 'It loses data.' })
    assert.equal((await harness.installation(id)).upgradeTo, null)
    const upgrade = { targetVersion: '2.0.0', override: true, reason: 'now' }
    const refused = await post(`/installations/${id}/upgrade`, upgrade)
    assert.equal(refused.errorCode, 'VERSION_RECALLED')
    assert.match(JSON.stringify(refused.json), /ada recalled version 2\.0\.0 \(“It loses data\.”\)\. Choose/)
    const install = { scope: { ...harness.newScope() }, bundle: recalled.bundle, targetVersion: '2.0.0' }
    assert.equal((await post('/installations', install)).errorCode, 'VERSION_RECALLED')
    const plan = await harness.ok('/installations/plan', { method: 'POST', body: install })
    assert.match(JSON.stringify(plan['problems']), /VERSION_RECALLED/)
    assert.equal((await said('2.0.0', 'deprecate', { message: 'No.' })).errorCode, 'REQUEST_INVALID')
    // all are recalled: the bundle is still listed
    await said('1.0.0', 'recall', { message: 'It leaks.' })
    const { items } = await harness.ok('/bundles', {})
    assert.match(JSON.stringify(items), /"bundleId":"recalled"/)
    assert.equal((await said('2.0.0', 'reinstate', { reason: 'Repaired.' })).errorCode, '0')
    assert.equal((await said('2.0.0', 'reinstate', { reason: 'Again.' })).errorCode, 'REQUEST_INVALID')
    assert.equal((await harness.installation(id)).upgradeTo, '2.0.0')
    // what failed can be retried in spite of a recall only by an override
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const operation = await harness.upgrade(id, { targetVersion: '2.0.0' })
    const { run } = await harness.fails(operation, 'PLUGIN_REPORTED_FAILURE')
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    await said('2.0.0', 'recall', { message: 'It loses data.' })
    const retry = `/operations/${operation}/retry`
    assert.equal((await post(retry, { run })).errorCode, 'VERSION_RECALLED')
    assert.equal((await post(retry, { run, override: true, reason: 'Needed.' })).errorCode, '0')
    await harness.succeeds(operation)
  })
})

describe('freezes', () => {
  it('are seen and changed only for places that a person may see and change', async () => {
    const [one, other] = [harness.newScope(), harness.newScope()]
    const saved = await freeze(one, { scopes: [{ ...one }, { ...other }] })
    const here: Grant[] = [{ permissions: ['read', 'policy:write'], scope: one }]
    const path = `/freezes/${saved.name}`
    const seen = Freeze.parse((await harness.http.call(path, { grants: here })).data)
    assert.deepEqual(seen.scopes, [one])
    assert.equal(
      (await harness.http.call(path, { method: 'DELETE', grants: here })).errorCode,
      'PERMISSION_DENIED',
    )
    const elsewhere: Grant[] = [{ permissions: ['read', 'policy:write'], scope: { environmentKey: 'test' } }]
    assert.equal((await harness.http.call(path, { grants: elsewhere })).errorCode, 'NOT_FOUND')
    const list = (query: string, grants = here) => harness.http.call(`/freezes${query}`, { grants })
    const names = ({ data }: TestAnswer) => (data['items'] as { name: string }[]).map(({ name }) => name)
    assert.ok(names(await list('?active=true')).includes(saved.name))
    assert.deepEqual(names(await list('', elsewhere)), [])
    const { environmentKey, applicationRuntimeId, workspaceId } = other
    const query = `?environmentKey=${environmentKey}&applicationRuntimeId=${applicationRuntimeId}&workspaceId=${workspaceId}`
    assert.deepEqual(names(await list(query)), [])
  })

  it('are not overwritten unseen, and say which combination of times and places is wrong', async () => {
    const scope = harness.newScope()
    const saved = await freeze(scope)
    const put = (body: JsonObject) =>
      harness.http.call(`/freezes/${saved.name}`, {
        method: 'PUT',
        body: {
          environments: ['archive'],
          from: hours(-1),
          to: hours(1),
          timeZone: 'UTC',
          blocks: ['CONFIGURE'],
          message: 'x',
          ...body,
        },
      })
    assert.equal((await put({ updatedAt: null })).errorCode, 'FREEZE_STALE')
    assert.equal((await put({ updatedAt: '2026-01-01T00:00:00.000Z' })).errorCode, 'FREEZE_STALE')
    assert.equal((await put({ updatedAt: saved.updatedAt })).errorCode, '0')
    for (const wrong of [
      { scopes: [{ ...scope }] },
      { environments: null },
      { weekly: { days: ['MON'], from: '18:00', to: '06:00' } },
      { to: null },
      { to: hours(-2) },
      { timeZone: 'Mars/Olympus' },
      { blocks: [] },
    ])
      assert.equal((await put(wrong)).errorCode, 'REQUEST_INVALID', JSON.stringify(wrong))
  })
})
