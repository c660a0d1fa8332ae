import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { Refusal } from '../refusal.ts'
import { billing, CORE, crm, GATEWAY, installBoth, LEDGER, SCOPE } from '../testing-bundles.ts'
import { testRuntime } from '../testing.ts'
import type { TestRuntime } from '../testing.ts'
import type { FullResources } from './full-changes.ts'
import { planSave } from './plan-save.ts'
import { readConfiguration } from './read.ts'
import { saveConfiguration, saveFullConfiguration } from './save.ts'

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
  await runtime.publish(crm)
  await runtime.publish(billing)
})
after(() => runtime.close())

let workspaces = 100
/** A scope of its own with both bundles ACTIVE. */
async function newScope() {
  const scope: Scope = { ...SCOPE, workspaceId: workspaces++ }
  const installed = await installBoth(runtime, scope)
  const { snapshotVersion } = await read(scope)
  return { scope, snapshotVersion, ...installed }
}

const read = (scope: Scope) => readConfiguration(runtime.read, { params: scope, query: {}, body: undefined })
const save = (scope: Scope, snapshotVersion: number, changes: Changes) =>
  runtime.write((context) =>
    saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } }),
  )
const saveFull = (scope: Scope, snapshotVersion: number, resources: FullResources) =>
  runtime.write((context) =>
    saveFullConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, resources } }),
  )
const plan = (scope: Scope, snapshotVersion: number, changes: Changes) =>
  planSave(runtime.read, { params: scope, query: {}, body: { snapshotVersion, changes } })

const refused =
  (code: string, properties: string[] = []) =>
  (error: unknown) => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, code)
    if (properties.length > 0)
      assert.deepEqual(
        error.details.map(({ property }) => property),
        properties,
      )
    return true
  }

async function rowCounts(scope: Scope) {
  const count = async (table: 'runtime.operation' | 'runtime.audit_entry') =>
    (
      await runtime.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('workspace_id', '=', scope.workspaceId)
        .executeTakeFirstOrThrow()
    ).count
  return { operations: await count('runtime.operation'), audit: await count('runtime.audit_entry') }
}

describe('a save', () => {
  it('makes one snapshot and one CONFIGURE of the owner over its whole scope', async () => {
    const { scope, snapshotVersion, crm: owner } = await newScope()
    const saved = await save(scope, snapshotVersion, { [CORE]: { name: wrapData('Bolt') } })
    assert.equal(saved.snapshotVersion, snapshotVersion + 1)
    assert.equal(saved.operations.length, 1)
    const [operation] = saved.operations
    assert.ok(operation)
    assert.equal(operation.operationType, 'CONFIGURE')
    assert.equal(operation.installation.bundleInstallId, owner)
    assert.equal(operation.currentVersion, '1.0.0')
    assert.equal(operation.targetVersion, '1.0.0')

    const { plan: frozen } = await runtime.db
      .selectFrom('runtime.operation_plan')
      .select('plan')
      .where('operation_id', '=', operation.operationId)
      .executeTakeFirstOrThrow()
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
    const configuration = await read(scope)
    assert.deepEqual(configuration.resources[CORE]?.properties['name'], wrapData('Bolt'))
    assert.equal(configuration.resources[CORE]?.claim?.operationId, operation.operationId)
  })

  it('of nothing changed makes no operation and no snapshot', async () => {
    const { scope, snapshotVersion } = await newScope()
    const before = await rowCounts(scope)
    const saved = await save(scope, snapshotVersion, {
      [CORE]: { name: wrapData('Acme'), publisher: null },
      'dev/nobody/MODULE/x': { gone: null },
    })
    assert.deepEqual(saved, { snapshotVersion, operations: [] })
    assert.deepEqual(await rowCounts(scope), before)
  })

  it('lets exactly one of two on the same snapshot win', async () => {
    const { scope, snapshotVersion } = await newScope()
    const results = await Promise.allSettled([
      save(scope, snapshotVersion, { [CORE]: { name: wrapData('A') } }),
      save(scope, snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } }),
      save(scope, snapshotVersion, { [GATEWAY]: { domain: wrapData('a.example') } }),
    ])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results)
      if (result.status === 'rejected') refused('CONFIGURATION_SNAPSHOT_STALE')(result.reason)
    assert.equal((await read(scope)).snapshotVersion, snapshotVersion + 1)
  })

  it('refuses what no active installation owns, all of it together, and writes nothing', async () => {
    const { scope, snapshotVersion } = await newScope()
    const before = await rowCounts(scope)
    await assert.rejects(
      save(scope, snapshotVersion, {
        [CORE]: { name: wrapData('x') },
        'dev/nobody/MODULE/a': { p: wrapData(1) },
        'dev/nobody/MODULE/b': { p: wrapData(1) },
      }),
      (error) =>
        refused('RESOURCE_OWNERSHIP_MISSING')(error) &&
        error instanceof Refusal &&
        error.details.length === 2,
    )
    assert.deepEqual(await rowCounts(scope), before)
    assert.equal((await read(scope)).snapshotVersion, snapshotVersion)
  })

  it('is refused while an owner is claimed, and goes on for another installation', async () => {
    const { scope, snapshotVersion } = await newScope()
    const first = await save(scope, snapshotVersion, { [CORE]: { name: wrapData('B') } })
    const version = first.snapshotVersion
    await assert.rejects(save(scope, version, { [CORE]: { seats: wrapData(9) } }), (error) => {
      return refused('OPERATION_IN_PROGRESS')(error) && error instanceof Refusal && error.retryable
    })
    const other = await save(scope, version, { [LEDGER]: { currency: wrapData('EUR') } })
    assert.equal(other.operations.length, 1)
    await assert.rejects(
      save(scope, other.snapshotVersion, {
        [CORE]: { seats: wrapData(9) },
        [LEDGER]: { currency: wrapData('USD') },
      }),
      (error) => error instanceof Refusal && error.details.length === 2,
    )
    await runtime.fail(first.operations[0]?.operationId ?? '')
    await assert.rejects(save(scope, other.snapshotVersion, { [CORE]: { seats: wrapData(9) } }), (error) => {
      return refused('OPERATION_CLAIM_HELD')(error) && error instanceof Refusal && !error.retryable
    })
  })

  it('reads the plugin bindings of the owners only', async () => {
    const scope: Scope = { ...SCOPE, workspaceId: workspaces++ }
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
          error instanceof Refusal &&
          /tenants/.test(error.message)
        )
      })
    } finally {
      await lone.close()
    }
  })

  it('refuses the protected property before everything else', async () => {
    const { scope } = await newScope()
    const changes = { [CORE]: { instanceRefProperty: wrapData('mine'), name: wrapData(1) } }
    await assert.rejects(save(scope, 1, changes), refused('PROPERTY_PROTECTED', ['instanceRefProperty']))
    await assert.rejects(
      save(scope, 1, { 'dev/nobody/MODULE/x': { instanceRefProperty: null } }),
      refused('PROPERTY_PROTECTED'),
    )
    await assert.rejects(
      saveFull(scope, 1, { [CORE]: { properties: { instanceRefProperty: wrapData('mine') } } }),
      refused('PROPERTY_PROTECTED'),
    )
  })

  it('tells everything that is not valid together', async () => {
    const { scope, snapshotVersion } = await newScope()
    await assert.rejects(
      save(scope, snapshotVersion, {
        [CORE]: {
          name: null,
          seats: wrapData(0),
          tenantId: wrapData('t-2'),
          nonsense: wrapData(1),
          toString: wrapData(1),
          password: { '@type': 'ServiceReference', serviceId: 'x' },
        },
      }),
      refused('PROPERTY_INVALID', ['name', 'seats', 'tenantId', 'nonsense', 'toString', 'password']),
    )
  })

  it('never shows a sensitive value, and says whether it is set', async () => {
    const { scope, snapshotVersion } = await newScope()
    const changes = { [CORE]: { password: wrapData('hunter2') } }
    const view = await plan(scope, snapshotVersion, changes)
    assert.deepEqual(view.changes, [
      {
        locator: CORE,
        property: 'password',
        before: { '@type': 'Data', isSensitive: true, isSet: false },
        after: { '@type': 'Data', isSensitive: true, isSet: true },
      },
    ])
    const saved = await save(scope, snapshotVersion, changes)
    await runtime.succeed(saved.operations[0]?.operationId ?? '')
    const shown = JSON.stringify([view, saved, await read(scope)])
    assert.ok(!shown.includes('hunter2'))
    const kept = await save(scope, saved.snapshotVersion, changes)
    assert.deepEqual(kept.operations, [])
    const audit = await runtime.db.selectFrom('runtime.audit_entry').selectAll().execute()
    assert.ok(!JSON.stringify(audit).includes('hunter2'))
    const stored = await runtime.db
      .selectFrom('runtime.configuration_property')
      .select('value')
      .where('property', '=', 'password')
      .executeTakeFirstOrThrow()
    assert.deepEqual(stored.value, { '@type': 'Data', value: 'hunter2', isSensitive: true })
  })

  it('refuses a reference to a service that the scope may not use', async () => {
    const { scope, snapshotVersion, crm: owner } = await newScope()
    const service = (serviceId: string, consumers: Scope[], enabled = true, owned: string | null = null) =>
      runtime.db
        .insertInto('runtime.service')
        .values({
          service_id: `${serviceId}-${scope.workspaceId}`,
          title: serviceId,
          url: 'http://127.0.0.1:9',
          methods: '[]',
          owner_bundle_install_id: owned,
          owner_locator: owned === null ? null : CORE,
          consumers: JSON.stringify(consumers),
          enabled,
        })
        .execute()
    await service('open', [scope])
    await service('other', [{ ...scope, workspaceId: 1 }])
    await service('off', [scope], false)
    await service('own', [], true, owner)
    const to = (serviceId: string): TypedValue => ({
      '@type': 'ServiceReference',
      serviceId: `${serviceId}-${scope.workspaceId}`,
    })
    for (const name of ['missing', 'other', 'off'])
      await assert.rejects(
        save(scope, snapshotVersion, { [CORE]: { publisher: to(name) } }),
        refused('REFERENCE_TARGET_UNAVAILABLE', ['publisher']),
      )
    assert.deepEqual((await plan(scope, snapshotVersion, { [CORE]: { publisher: to('own') } })).problems, [])
    const saved = await save(scope, snapshotVersion, { [CORE]: { publisher: to('open') } })
    assert.equal(saved.operations.length, 1)
  })

  it('leaves nothing half-made when the transaction fails', async () => {
    const { scope, snapshotVersion } = await newScope()
    const before = await rowCounts(scope)
    await assert.rejects(
      runtime.write(async (context) => {
        const body = { snapshotVersion, changes: { [CORE]: { name: wrapData('lost') } } }
        await saveConfiguration(context, { params: scope, query: {}, body })
        throw new Error('the end')
      }),
      /the end/,
    )
    assert.deepEqual(await rowCounts(scope), before)
    const now = await read(scope)
    assert.equal(now.snapshotVersion, snapshotVersion)
    assert.deepEqual(now.resources[CORE]?.properties['name'], wrapData('Acme'))
  })
})

describe('a full configuration', () => {
  it('removes what is absent, but nothing sensitive, plugin-written or protected, and no absent resource', async () => {
    const { scope, snapshotVersion } = await newScope()
    const first = await save(scope, snapshotVersion, {
      [CORE]: { password: wrapData('hunter2') },
      [LEDGER]: { currency: wrapData('EUR') },
    })
    for (const { operationId } of first.operations) await runtime.succeed(operationId)
    const saved = await saveFull(scope, first.snapshotVersion, {
      [CORE]: { properties: { name: wrapData('Acme') } },
    })
    assert.equal(saved.operations.length, 1)
    const { resources } = await read(scope)
    assert.deepEqual(Object.keys(resources[CORE]?.properties ?? {}).toSorted(), [
      'instanceRefProperty',
      'name',
      'password',
      'tenantId',
    ])
    assert.deepEqual(resources[LEDGER]?.properties['currency'], wrapData('EUR'))
  })

  it('of everything that stands, sensitive values without value, changes nothing', async () => {
    const { scope, snapshotVersion } = await newScope()
    const first = await save(scope, snapshotVersion, { [CORE]: { password: wrapData('hunter2') } })
    await runtime.succeed(first.operations[0]?.operationId ?? '')
    const core = {
      name: wrapData('Acme'),
      seats: wrapData(5),
      tenantId: wrapData('t-1'),
      password: { '@type': 'Data', isSensitive: true },
    } as const
    const saved = await saveFull(scope, first.snapshotVersion, { [CORE]: { properties: core } })
    assert.deepEqual(saved, { snapshotVersion: first.snapshotVersion, operations: [] })
    await assert.rejects(
      saveFull(scope, first.snapshotVersion, {
        [CORE]: { properties: { ...core, name: { '@type': 'Data', isSensitive: true } } },
      }),
      refused('REQUEST_INVALID', ['name']),
    )
  })
})

describe('a plan', () => {
  it('tells everything at once and writes nothing', async () => {
    const { scope, snapshotVersion, crm: owner } = await newScope()
    const first = await save(scope, snapshotVersion, { [CORE]: { name: wrapData('B') } })
    const before = await rowCounts(scope)
    const told = await plan(scope, snapshotVersion, {
      [CORE]: { seats: wrapData(0), instanceRefProperty: wrapData('x') },
      'dev/nobody/MODULE/a': { p: wrapData(1) },
    })
    assert.equal(told.stale, true)
    assert.equal(told.snapshotVersion, first.snapshotVersion)
    assert.deepEqual(
      told.problems.map(({ errorCode }) => errorCode),
      ['PROPERTY_PROTECTED', 'RESOURCE_OWNERSHIP_MISSING', 'PROPERTY_INVALID', 'OPERATION_IN_PROGRESS'],
    )
    assert.equal(told.installations.length, 1)
    assert.equal(told.installations[0]?.installation.bundleInstallId, owner)
    assert.deepEqual(told.installations[0]?.resources, [GATEWAY, CORE])
    assert.deepEqual(told.installations[0]?.stages, [
      { stage: 'BEFORE_RESOURCES', calls: [{ pluginId: 'tenants', order: 10 }] },
      { stage: 'AFTER_RESOURCES', calls: [{ pluginId: 'tenants', order: 10 }] },
    ])
    assert.deepEqual(await rowCounts(scope), before)
  })
})
