import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { engineSteps, testEngine, readInstallation } from '../testing/engine.ts'
import { data, LOCATOR, planWith, plannedResource, SECRET } from '../testing/plan.ts'
import type { TestEngine } from '../testing/engine.ts'

const engine: TestEngine = await testEngine()
const { configuration, ledger, endsWell, failsWith, detailOf } = engineSteps(engine)

suite('the course of an operation', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['provisioner', 'first', 'second', 'third']) await engine.register(pluginId)
  })

  test('an INSTALL passes both stages and becomes ACTIVE, with its configuration and ledger', async () => {
    engine.plugin.script(({ stage }) => ({
      outcome: 'APPLIED',
      resources: {
        [LOCATOR]:
          stage === 'BEFORE_RESOURCES'
            ? { tenantId: data('t-1') }
            : { token: data('issued-by-plugin', true) },
      },
    }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    const operation = await endsWell(operation_id)

    assert.equal(operation.phase, 'DONE')
    assert.equal(operation.holds_claim, false)
    const [first, second] = engine.plugin.calls
    assert.equal(engine.plugin.calls.length, 2)
    assert.equal(first?.stage, 'BEFORE_RESOURCES')
    assert.deepEqual(first?.request.resources[LOCATOR], {
      action: 'INSTALL',
      currentVersion: null,
      targetVersion: '1.0.0',
      properties: {
        region: data('eu'),
        password: data(SECRET, true),
        instanceRefProperty: data('the-installation'),
      },
      references: { publisher: { '@type': 'ServiceReference', serviceId: 'events' } },
    })
    assert.deepEqual(second?.request.resources[LOCATOR]?.properties['tenantId'], data('t-1'))

    const installed = await readInstallation(engine.runtime, installation.bundle_install_id)
    assert.equal(installed.state, 'ACTIVE')
    assert.equal(installed.version, '1.0.0')
    const rows = await configuration(installation.scope_id)
    assert.deepEqual(
      rows.map(({ property, value }) => [property, value]),
      [
        ['instanceRefProperty', data('the-installation')],
        ['password', data(SECRET, true)],
        ['publisher', { '@type': 'ServiceReference', serviceId: 'events' }],
        ['region', data('eu')],
        ['tenantId', data('t-1')],
        ['token', data('issued-by-plugin', true)],
      ],
    )
    const [resource] = await ledger(installation.bundle_install_id)
    assert.equal(resource?.version, '1.0.0')
    assert.deepEqual(resource?.properties['token'], data('issued-by-plugin', true))
    assert.deepEqual(resource?.properties['tenantId'], data('t-1'))
    const snapshot = await engine.runtime.db
      .selectFrom('runtime.snapshot')
      .select(['snapshot_version', 'cause', 'saved_by_id'])
      .where('operation_id', '=', operation_id)
      .execute()
    assert.deepEqual(snapshot, [{ snapshot_version: 2, cause: 'INSTALL', saved_by_id: 'ada' }])
  })

  test('the detail of an operation shows requests and responses, and nothing sensitive', async () => {
    engine.plugin.script(({ stage }) =>
      stage === 'BEFORE_RESOURCES'
        ? { outcome: 'APPLIED', resources: { [LOCATOR]: { token: data('issued-by-plugin') } } }
        : {
            errorCode: 'TENANT_BROKEN',
            data: { message: `no ${SECRET} and no issued-by-plugin`, retryable: false },
          },
    )
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    await failsWith(operation_id, 'TENANT_BROKEN')

    const detail = await detailOf(operation_id)
    assert.deepEqual(
      detail.stages.map(({ stage, state }) => [stage, state]),
      [
        ['BEFORE_RESOURCES', 'DONE'],
        ['AFTER_RESOURCES', 'FAILED'],
      ],
    )
    assert.equal(detail.resources[0]?.state, 'DONE')
    assert.deepEqual(detail.stages[0]?.calls[0]?.writes, [
      { locator: LOCATOR, property: 'token', value: { '@type': 'Data', isSensitive: true, isSet: true } },
    ])
    const text = JSON.stringify(detail)
    assert.ok(text.includes('region'))
    assert.ok(!text.includes(SECRET))
    assert.ok(!text.includes('issued-by-plugin'))
    const stored = await engine.runtime.db
      .selectFrom('runtime.attempt')
      .select(sql<string>`(attempt.*)::text`.as('row'))
      .where('operation_id', '=', operation_id)
      .execute()
    assert.ok(!JSON.stringify(stored).includes(SECRET))
    assert.ok(!JSON.stringify(stored).includes('issued-by-plugin'))
  })

  test('a call carries a token for its plugin, operation, stage and sequence (E06)', async () => {
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    await endsWell(operation_id)
    assert.equal(
      engine.plugin.calls[0]?.authorization,
      `Bearer signed ${JSON.stringify({
        sub: operation_id,
        stage: 'BEFORE_RESOURCES',
        executionSequence: 1,
        aud: 'provisioner',
      })}`,
    )
  })

  test('a CONFIGURE keeps the version and adds only the writes of plugins', async () => {
    const installation = await engine.installation()
    await endsWell((await engine.freeze({ installation, plan: planWith() })).operation_id)
    engine.plugin.script(() => ({
      outcome: 'VERIFIED',
      resources: { [LOCATOR]: { tenantId: data('t-2') } },
    }))
    const plan = planWith()
    plan.resources = [plannedResource({ action: 'CONFIGURE', currentVersion: '1.0.0' })]
    const { operation_id } = await engine.freeze({ installation, operationType: 'CONFIGURE', plan })
    await endsWell(operation_id)
    const changes = await engine.runtime.db
      .selectFrom('runtime.snapshot_change as snapshot_change')
      .innerJoin('runtime.snapshot as snapshot', (join) =>
        join
          .onRef('snapshot.scope_id', '=', 'snapshot_change.scope_id')
          .onRef('snapshot.snapshot_version', '=', 'snapshot_change.snapshot_version'),
      )
      .select(['property', 'before', 'after', 'is_sensitive'])
      .where('operation_id', '=', operation_id)
      .execute()
    assert.deepEqual(changes, [
      { property: 'tenantId', before: null, after: data('t-2'), is_sensitive: false },
    ])
    assert.equal((await readInstallation(engine.runtime, installation.bundle_install_id)).version, '1.0.0')
  })

  test('an operation that changes nothing creates no snapshot', async () => {
    const installation = await engine.installation()
    await endsWell((await engine.freeze({ installation, plan: planWith() })).operation_id)
    const { operation_id } = await engine.freeze({
      installation,
      operationType: 'CONFIGURE',
      plan: planWith(),
    })
    await endsWell(operation_id)
    const snapshots = await engine.runtime.db
      .selectFrom('runtime.snapshot')
      .select('snapshot_version')
      .where('scope_id', '=', installation.scope_id)
      .execute()
    assert.equal(snapshots.length, 2)
  })

  test('an UPGRADE removes what its target no longer has and keeps instanceRefProperty', async () => {
    const installation = await engine.installation()
    const other = 'source/crm/TIMER/nightly'
    const timer = plannedResource({ locator: other, kind: 'TIMER', properties: { region: data('us') } })
    const first = { ...planWith(), resources: [plannedResource(), timer] }
    await endsWell((await engine.freeze({ installation, plan: first })).operation_id)
    const upgraded = plannedResource({
      action: 'UPGRADE',
      currentVersion: '1.0.0',
      targetVersion: '2.0.0',
      properties: { region: data('eu-2'), instanceRefProperty: data('another') },
    })
    const gone = { ...timer, action: 'DETACH' as const, currentVersion: '1.0.0' }
    const plan = { ...planWith(), resources: [upgraded, gone] }
    await endsWell((await engine.freeze({ installation, operationType: 'UPGRADE', plan })).operation_id)

    const rows = await configuration(installation.scope_id)
    assert.deepEqual(
      rows.map(({ locator, property, value }) => [locator, property, value]),
      [
        [LOCATOR, 'instanceRefProperty', data('the-installation')],
        [LOCATOR, 'region', data('eu-2')],
      ],
    )
    const installed = await ledger(installation.bundle_install_id)
    assert.deepEqual(
      installed.map(({ locator, version, properties }) => [locator, version, properties]),
      [[LOCATOR, '2.0.0', { region: data('eu-2'), instanceRefProperty: data('the-installation') }]],
    )
    assert.equal((await readInstallation(engine.runtime, installation.bundle_install_id)).version, '2.0.0')
  })
})
