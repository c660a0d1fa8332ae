import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfiguration } from '../configuration/read.ts'
import { billing, CORE, crm, GATEWAY, installBoth, SCOPE } from '../../testing/bundles.ts'
import { actorWith, refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { detach } from './detach.ts'
import { upgrade } from './upgrade.ts'

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
  for (const manifest of [crm, billing]) await runtime.publish(manifest)
})
after(() => runtime.close())

let workspaces = 400
const newScope = () => ({ ...SCOPE, workspaceId: workspaces++ })
const read = (scope: typeof SCOPE) =>
  readConfiguration(runtime.read, { params: scope, query: {}, body: undefined })

const upgradeIt = (bundleInstallId: string) =>
  runtime.write((context) =>
    upgrade(context, { params: { bundleInstallId }, query: {}, body: { targetVersion: '2.0.0' } }),
  )
const detachIt = (bundleInstallId: string) =>
  runtime.write((context) =>
    detach(context, { params: { bundleInstallId }, query: {}, body: { reason: 'gone' } }),
  )

describe('a change of an installation', () => {
  it('waits for the operation that claims it, and takes over one that failed (G07)', async () => {
    const scope = newScope()
    const { billing: bundleInstallId } = await installBoth(runtime, scope)
    const { operation } = await detachIt(bundleInstallId)
    await assert.rejects(detachIt(bundleInstallId), refused('OPERATION_IN_PROGRESS'))
    await assert.rejects(upgradeIt(bundleInstallId), refused('OPERATION_IN_PROGRESS'))
    await runtime.fail(operation.operationId)
    await assert.rejects(detachIt(bundleInstallId), refused('OPERATION_CLAIM_HELD'))
    await runtime.succeed(operation.operationId)
    await assert.rejects(detachIt(bundleInstallId), refused('INSTALLATION_NOT_ACTIVE'))
  })

  it('requires the permission, and reveals nothing that the person may not see (G04)', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const input = { params: { bundleInstallId }, query: {}, body: { reason: 'gone' } }
    const reader = actorWith([{ permissions: ['read'], scope }], 'Reader')
    const stranger = actorWith([{ permissions: ['read'], scope: { ...scope, workspaceId: 1 } }], 'Stranger')
    await assert.rejects(
      runtime.write((context) => detach(context, input), reader),
      refused('PERMISSION_DENIED'),
    )
    await assert.rejects(
      runtime.write((context) => detach(context, input), stranger),
      refused('NOT_FOUND'),
    )
  })

  it('detaches with a frozen plan of the whole ledger', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const { operation } = await detachIt(bundleInstallId)
    assert.deepEqual([operation.currentVersion, operation.targetVersion], ['1.0.0', '1.0.0'])
    const plan = await runtime.plan(operation.operationId)
    assert.deepEqual(
      plan.resources.map(({ locator, action }) => [locator, action]),
      [
        [GATEWAY, 'DETACH'],
        [CORE, 'DETACH'],
      ],
    )
    await runtime.succeed(operation.operationId)
    const { resources } = await read(scope)
    assert.deepEqual(Object.keys(resources), ['dev/billing/MODULE/ledger'])
  })
})
