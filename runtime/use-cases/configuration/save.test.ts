import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { DomainError } from '../../engine/refusals.ts'
import { billing, CORE, crm, GATEWAY, installBoth, LEDGER, SCOPE } from '../../testing/bundles.ts'
import { refused, testRuntime } from '../../testing/runtime.ts'
import { readConfiguration } from './read.ts'
import { saveConfiguration } from './save.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
})
after(() => deps.runtime.close())

describe('a save', () => {
  it('creates one snapshot and one CONFIGURE of the owner over its whole scope', async () => {
    const { scope, snapshotVersion, crm: owner } = await deps.newScope()
    const saved = await deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('Bolt') } })
    assert.equal(saved.snapshotVersion, snapshotVersion + 1)
    assert.equal(saved.operations.length, 1)
    const [operation] = saved.operations
    assert.ok(operation)
    assert.equal(operation.operationType, 'CONFIGURE')
    assert.equal(operation.installation.bundleInstallId, owner)
    assert.equal(operation.currentVersion, '1.0.0')
    assert.equal(operation.targetVersion, '1.0.0')

    const frozen = await deps.runtime.plan(operation.operationId)
    assert.deepEqual(
      frozen.resources.map(({ locator, action }) => [locator, action]),
      [
        [GATEWAY, 'NONE'],
        [CORE, 'CONFIGURE'],
      ],
    )
    const core = frozen.resources.find(({ locator }) => locator === CORE)
    assert.deepEqual(core?.properties, {
      name: wrapData('Bolt'),
      seats: wrapData(5),
      tenantId: wrapData('t-1'),
      instanceRefProperty: wrapData(owner),
    })
    assert.deepEqual(core?.writtenBy, { tenantId: 'tenants' })
    assert.equal(frozen.plugins[0]?.resources[0]?.resource, CORE)
    const configuration = await deps.read(scope)
    assert.deepEqual(configuration.resources[CORE]?.properties['name'], wrapData('Bolt'))
    assert.equal(configuration.resources[CORE]?.claim?.operationId, operation.operationId)
  })

  it('without changes creates no operation and no snapshot', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const before = await deps.rowCounts(scope)
    const saved = await deps.save(scope, snapshotVersion, {
      [CORE]: { name: wrapData('Acme'), publisher: null },
      'dev/nobody/MODULE/x': { gone: null },
    })
    assert.deepEqual(saved, { snapshotVersion, operations: [] })
    assert.deepEqual(await deps.rowCounts(scope), before)
  })

  it('succeeds for exactly one of two on the same snapshot', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const results = await Promise.allSettled([
      deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('A') } }),
      deps.save(scope, snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } }),
      deps.save(scope, snapshotVersion, { [GATEWAY]: { domain: wrapData('a.example') } }),
    ])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results)
      if (result.status === 'rejected') refused('CONFIGURATION_SNAPSHOT_STALE')(result.reason)
    assert.equal((await deps.read(scope)).snapshotVersion, snapshotVersion + 1)
  })

  it('refuses changes that no active installation owns, all together, and writes nothing', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const before = await deps.rowCounts(scope)
    await assert.rejects(
      deps.save(scope, snapshotVersion, {
        [CORE]: { name: wrapData('x') },
        'dev/nobody/MODULE/a': { p: wrapData(1) },
        'dev/nobody/MODULE/b': { p: wrapData(1) },
      }),
      (error) =>
        refused('RESOURCE_OWNERSHIP_MISSING')(error) &&
        error instanceof DomainError &&
        error.details.length === 2,
    )
    assert.deepEqual(await deps.rowCounts(scope), before)
    assert.equal((await deps.read(scope)).snapshotVersion, snapshotVersion)
  })

  it('is refused while an owner is claimed, and succeeds for another installation', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const first = await deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('B') } })
    const version = first.snapshotVersion
    await assert.rejects(deps.save(scope, version, { [CORE]: { seats: wrapData(9) } }), (error) => {
      return refused('OPERATION_IN_PROGRESS')(error) && error instanceof DomainError && error.retryable
    })
    const other = await deps.save(scope, version, { [LEDGER]: { currency: wrapData('EUR') } })
    assert.equal(other.operations.length, 1)
    await assert.rejects(
      deps.save(scope, other.snapshotVersion, {
        [CORE]: { seats: wrapData(9) },
        [LEDGER]: { currency: wrapData('USD') },
      }),
      (error) => error instanceof DomainError && error.details.length === 2,
    )
    await deps.runtime.fail(first.operations[0]?.operationId ?? '')
    await assert.rejects(
      deps.save(scope, other.snapshotVersion, { [CORE]: { seats: wrapData(9) } }),
      (error) => {
        return refused('OPERATION_CLAIM_HELD')(error) && error instanceof DomainError && !error.retryable
      },
    )
  })

  it('reads the plugin bindings of the owners only', async () => {
    const scope: Scope = { ...SCOPE, workspaceId: 99 }
    const lone = await testRuntime()
    try {
      await lone.publish(crm)
      await lone.publish(billing)
      await installBoth(lone, scope)
      const saveThere = (snapshotVersion: number, changes: Changes) =>
        lone.write((context) =>
          saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } }),
        )
      const before = await readConfiguration(lone.read, { params: scope, query: {}, body: undefined })
      const breakDeclaration = (manifest: unknown) =>
        lone.db
          .updateTable('runtime.bundle_version')
          .set({ manifest: JSON.stringify(manifest) })
          .where('bundle_id', '=', 'crm')
          .execute()
      await breakDeclaration('no manifest at all')
      const one = await saveThere(before.snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } })
      await lone.succeed(one.operations[0]?.operationId ?? '')
      const elsewhere = crm.plugins.map((plugin) => ({
        ...plugin,
        resources: [{ ...plugin.resources[0], object: { type: 'MODULE', moduleId: 'not-ours' } }],
      }))
      await breakDeclaration({ ...crm, plugins: elsewhere })
      const two = await saveThere(one.snapshotVersion, { [LEDGER]: { currency: wrapData('USD') } })
      assert.equal(two.operations.length, 1)
      await assert.rejects(saveThere(two.snapshotVersion, { [CORE]: { name: wrapData('x') } }), (error) => {
        return (
          refused('RESOURCE_OWNERSHIP_MISSING')(error) &&
          error instanceof DomainError &&
          /tenants/.test(error.message)
        )
      })
    } finally {
      await lone.close()
    }
  })

  it('leaves nothing half-done if the transaction fails', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const before = await deps.rowCounts(scope)
    await assert.rejects(
      deps.runtime.write(async (context) => {
        const body = { snapshotVersion, changes: { [CORE]: { name: wrapData('lost') } } }
        await saveConfiguration(context, { params: scope, query: {}, body })
        throw new Error('the end')
      }),
      /the end/,
    )
    assert.deepEqual(await deps.rowCounts(scope), before)
    const now = await deps.read(scope)
    assert.equal(now.snapshotVersion, snapshotVersion)
    assert.deepEqual(now.resources[CORE]?.properties['name'], wrapData('Acme'))
  })
})
