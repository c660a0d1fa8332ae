import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { readConfiguration } from '../configuration/read.ts'
import { saveConfiguration } from '../configuration/save.ts'
import { billing, CORE, crm, GATEWAY, SCOPE, startInstall } from '../../testing/bundles.ts'
import { actorWith, refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { detach } from './detach.ts'
import { install } from './install.ts'
import { readInstallation } from './read.ts'

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
  await runtime.publish(crm)
  await runtime.publish(billing)
})
after(() => runtime.close())

let workspaces = 200
const newScope = () => ({ ...SCOPE, workspaceId: workspaces++ })
const named = { [CORE]: { name: wrapData('Acme') } }

const detachNow = async (bundleInstallId: string) => {
  const { operation } = await runtime.write((context) =>
    detach(context, { params: { bundleInstallId }, query: {}, body: { reason: 'gone' } }),
  )
  await runtime.succeed(operation.operationId)
}

const saveNow = async (scope: typeof SCOPE, changes: Changes) => {
  const { snapshotVersion } = await readConfiguration(runtime.read, {
    params: scope,
    query: {},
    body: undefined,
  })
  const saved = await runtime.write((context) =>
    saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } }),
  )
  for (const { operationId } of saved.operations) await runtime.succeed(operationId)
}

describe('an install', () => {
  it('freezes defaults, given values and the id of the installation', async () => {
    const scope = newScope()
    const { bundleInstallId, operation } = await startInstall(runtime, crm, { scope, properties: named })
    assert.equal(operation.operationType, 'INSTALL')
    assert.equal(operation.currentVersion, null)
    assert.equal(operation.executionSequence, 1)
    const plan = await runtime.plan(operation.operationId)
    assert.deepEqual(
      plan.resources.map(({ locator, action, currentVersion, targetVersion }) => [
        locator,
        action,
        currentVersion,
        targetVersion,
      ]),
      [
        [CORE, 'INSTALL', null, '1.0.0'],
        [GATEWAY, 'INSTALL', null, '1.0.0'],
      ],
    )
    assert.deepEqual(plan.resources[0]?.properties, {
      name: wrapData('Acme'),
      seats: wrapData(5),
      instanceRefProperty: wrapData(bundleInstallId),
    })
    const detail = await readInstallation(runtime.read, {
      params: { bundleInstallId },
      query: {},
      body: undefined,
    })
    assert.equal(detail.state, 'NOT_INSTALLED')
    assert.equal(detail.version, null)
    assert.equal(detail.claim?.operationId, operation.operationId)
    assert.deepEqual(detail.resources, [])
    assert.equal(detail.plugins[0]?.pluginId, 'tenants')
    assert.equal(detail.snapshotVersion, 1)
  })

  it('reports every value that is required and missing, or invalid', async () => {
    const scope = newScope()
    await assert.rejects(startInstall(runtime, crm, { scope }), refused('PROPERTY_INVALID', ['name']))
    await assert.rejects(
      startInstall(runtime, crm, { scope, properties: { [CORE]: { name: null, seats: wrapData('many') } } }),
      refused('PROPERTY_INVALID', ['name', 'seats']),
    )
    await assert.rejects(
      startInstall(runtime, crm, {
        scope,
        properties: { [CORE]: { ...named[CORE], tenantId: wrapData('x') } },
      }),
      refused('PROPERTY_INVALID', ['tenantId']),
    )
    await assert.rejects(
      startInstall(runtime, crm, { scope, properties: { [CORE]: { ...named[CORE], other: wrapData('x') } } }),
      refused('PROPERTY_INVALID', ['other']),
    )
    const service = { '@type': 'ServiceReference', serviceId: 'nobody' } as const
    await assert.rejects(
      startInstall(runtime, crm, { scope, properties: { [CORE]: { ...named[CORE], publisher: service } } }),
      refused('REFERENCE_TARGET_UNAVAILABLE', ['publisher']),
    )
    // nothing of it remains, not even the scope
    await assert.rejects(
      readConfiguration(runtime.read, { params: scope, query: {}, body: undefined }),
      refused('NOT_FOUND'),
    )
  })

  it('refuses the protected property and resources that the bundle does not have', async () => {
    const scope = newScope()
    const mine = { [CORE]: { ...named[CORE], instanceRefProperty: wrapData('mine') } }
    await assert.rejects(
      startInstall(runtime, crm, { scope, properties: mine }),
      refused('PROPERTY_PROTECTED'),
    )
    const foreign = { ...named, 'dev/billing/MODULE/ledger': { currency: wrapData('EUR') } }
    await assert.rejects(
      startInstall(runtime, crm, { scope, properties: foreign }),
      refused('RESOURCE_OWNERSHIP_MISSING'),
    )
    const unpublished: AuthorManifest = { ...crm, version: '9.9.9' }
    await assert.rejects(startInstall(runtime, unpublished, { scope }), refused('NOT_FOUND'))
  })

  it('installs a bundle once per scope, and again after it is detached', async () => {
    const scope = newScope()
    const results = await Promise.allSettled([
      startInstall(runtime, billing, { scope }),
      startInstall(runtime, billing, { scope }),
    ])
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(made.length, 1)
    for (const result of results)
      if (result.status === 'rejected') refused('INSTALLATION_EXISTS')(result.reason)
    await runtime.succeed(made[0]?.operation.operationId ?? '')
    await detachNow(made[0]?.bundleInstallId ?? '')
    await startInstall(runtime, billing, { scope })
  })
})

describe('an install from an earlier installation', () => {
  it('uses its last configuration, including sensitive values; given values win', async () => {
    const scope = newScope()
    const first = await startInstall(runtime, crm, { scope, properties: named })
    await runtime.succeed(first.operation.operationId, { [CORE]: { tenantId: wrapData('t-1') } })
    await saveNow(scope, {
      [CORE]: { password: wrapData('hunter2'), seats: null },
      [GATEWAY]: { domain: wrapData('a') },
    })
    await assert.rejects(
      startInstall(runtime, crm, { scope: newScope(), copyFrom: first.bundleInstallId }),
      refused('REQUEST_INVALID'),
    )
    await detachNow(first.bundleInstallId)

    const again = await startInstall(runtime, crm, {
      scope: newScope(),
      copyFrom: first.bundleInstallId,
      properties: { [GATEWAY]: { domain: wrapData('b') } },
    })
    const plan = await runtime.plan(again.operation.operationId)
    assert.deepEqual(plan.resources[0]?.properties, {
      name: wrapData('Acme'),
      // not set in the earlier one, so the default applies
      seats: wrapData(5),
      password: wrapSensitive('hunter2'),
      instanceRefProperty: wrapData(again.bundleInstallId),
    })
    assert.deepEqual(plan.resources[1]?.properties, { domain: wrapData('b') })
    const audit = await runtime.db.selectFrom('runtime.audit_entry').selectAll().execute()
    assert.ok(!JSON.stringify([again, audit]).includes('hunter2'))
  })

  it('that never succeeded uses its planned configuration', async () => {
    const first = await startInstall(runtime, crm, { scope: newScope(), properties: named })
    await runtime.db
      .updateTable('runtime.operation')
      .set({ state: 'TAKEN_OVER', holds_claim: false })
      .where('operation_id', '=', first.operation.operationId)
      .execute()
    await runtime.db
      .updateTable('runtime.installation')
      .set({ state: 'DETACHED' })
      .where('bundle_install_id', '=', first.bundleInstallId)
      .execute()
    const again = await startInstall(runtime, crm, { scope: newScope(), copyFrom: first.bundleInstallId })
    const plan = await runtime.plan(again.operation.operationId)
    assert.deepEqual(plan.resources[0]?.properties['name'], wrapData('Acme'))
    assert.deepEqual(plan.resources[0]?.properties['instanceRefProperty'], wrapData(again.bundleInstallId))
  })

  it('requires that its scope may be read and installed into', async () => {
    const from = newScope()
    const first = await startInstall(runtime, billing, { scope: from })
    await runtime.succeed(first.operation.operationId)
    await detachNow(first.bundleInstallId)
    const scope = newScope()
    const stranger = actorWith([{ permissions: ['read', 'installation:install'], scope }], 'Eve')
    const body = {
      scope,
      bundle: billing.bundle,
      targetVersion: '1.0.0',
      copyFrom: { bundleInstallId: first.bundleInstallId },
    }
    await assert.rejects(
      runtime.write((context) => install(context, { params: {}, query: {}, body }), stranger),
      refused('NOT_FOUND'),
    )
    const reader = actorWith(
      [
        { permissions: ['read', 'installation:install'], scope },
        { permissions: ['read'], scope: from },
      ],
      'Rita',
    )
    await assert.rejects(
      runtime.write((context) => install(context, { params: {}, query: {}, body }), reader),
      refused('PERMISSION_DENIED'),
    )
  })
})
