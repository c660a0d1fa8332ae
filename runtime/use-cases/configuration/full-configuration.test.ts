import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import { CORE, GATEWAY, LEDGER } from '../../testing/bundles.ts'
import { refused } from '../../testing/runtime.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
})
after(() => deps.runtime.close())

describe('a full configuration', () => {
  it('removes what is absent, except sensitive, plugin-written and protected properties and absent resources', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const first = await deps.save(scope, snapshotVersion, {
      [CORE]: { password: wrapData('hunter2') },
      [LEDGER]: { currency: wrapData('EUR') },
    })
    for (const { operationId } of first.operations) await deps.runtime.succeed(operationId)
    const saved = await deps.saveFull(scope, first.snapshotVersion, {
      [CORE]: { properties: { name: wrapData('Acme') } },
    })
    assert.equal(saved.operations.length, 1)
    const { resources } = await deps.read(scope)
    assert.deepEqual(Object.keys(resources[CORE]?.properties ?? {}).toSorted(), [
      'instanceRefProperty',
      'name',
      'password',
      'tenantId',
    ])
    assert.deepEqual(resources[LEDGER]?.properties['currency'], wrapData('EUR'))
  })

  it('changes nothing if it equals the current one, with sensitive values omitted', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const first = await deps.save(scope, snapshotVersion, { [CORE]: { password: wrapData('hunter2') } })
    await deps.runtime.succeed(first.operations[0]?.operationId ?? '')
    const core = {
      name: wrapData('Acme'),
      seats: wrapData(5),
      tenantId: wrapData('t-1'),
      password: { '@type': 'Data', isSensitive: true },
    } as const
    const saved = await deps.saveFull(scope, first.snapshotVersion, { [CORE]: { properties: core } })
    assert.deepEqual(saved, { snapshotVersion: first.snapshotVersion, operations: [] })
    await assert.rejects(
      deps.saveFull(scope, first.snapshotVersion, {
        [CORE]: { properties: { ...core, name: { '@type': 'Data', isSensitive: true } } },
      }),
      refused('REQUEST_INVALID', ['name']),
    )
  })
})

describe('a plan', () => {
  it('reports everything at once and writes nothing', async () => {
    const { scope, snapshotVersion, crm: owner } = await deps.newScope()
    const first = await deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('B') } })
    const before = await deps.rowCounts(scope)
    const plan = await deps.plan(scope, snapshotVersion, {
      [CORE]: { seats: wrapData(0), instanceRefProperty: wrapData('x') },
      'dev/nobody/MODULE/a': { p: wrapData(1) },
    })
    assert.equal(plan.stale, true)
    assert.equal(plan.snapshotVersion, first.snapshotVersion)
    assert.deepEqual(
      plan.problems.map(({ errorCode }) => errorCode),
      ['PROPERTY_PROTECTED', 'RESOURCE_OWNERSHIP_MISSING', 'PROPERTY_INVALID', 'OPERATION_IN_PROGRESS'],
    )
    assert.equal(plan.installations.length, 1)
    assert.equal(plan.installations[0]?.installation.bundleInstallId, owner)
    assert.deepEqual(plan.installations[0]?.resources, [GATEWAY, CORE])
    const call = {
      pluginId: 'tenants',
      order: 10,
      availability: 'NOT_REGISTERED',
      reads: [],
      writes: [{ locator: CORE, property: 'tenantId' }],
    }
    assert.deepEqual(plan.installations[0]?.stages, [
      { stage: 'BEFORE_RESOURCES', calls: [call] },
      { stage: 'AFTER_RESOURCES', calls: [call] },
    ])
    assert.deepEqual(await deps.rowCounts(scope), before)
  })
})
