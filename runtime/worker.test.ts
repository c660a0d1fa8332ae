import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { readCalls } from './store/operations/read-calls.ts'
import { readAttempts } from './store/operations/read-attempts.ts'
import { retryOperation } from './operations/retry.ts'
import { takeOverOperation } from './operations/take-over.ts'
import { readOperation } from './operations/read.ts'
import {
  authorization,
  data,
  LOCATOR,
  planWith,
  plannedResource,
  reader,
  readInstallation,
  SECRET,
  testEngine,
} from './operations/testing-engine.ts'
import type { TestEngine } from './operations/testing-engine.ts'
import type { World } from './world.ts'

suite('the engine', { concurrency: false }, () => {
  let engine: TestEngine

  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['provisioner', 'first', 'second', 'third']) await engine.register(pluginId)
  })

  const configuration = (scopeId: number) =>
    engine.runtime.db
      .selectFrom('runtime.configuration_property')
      .select(['locator', 'property', 'value'])
      .where('scope_id', '=', scopeId)
      .orderBy('property')
      .execute()
  const ledger = (bundleInstallId: string) =>
    engine.runtime.db
      .selectFrom('runtime.installed_resource')
      .selectAll()
      .where('bundle_install_id', '=', bundleInstallId)
      .execute()
  const attemptsOf = (operationId: string) => readAttempts(engine.runtime.db, operationId)
  const endsWell = async (operationId: string) => {
    const worker = engine.work()
    const operation = await engine.until(operationId, 'SUCCEEDED', 'FAILED')
    await worker.stop()
    assert.equal(operation.state, 'SUCCEEDED', JSON.stringify(operation.failure))
    return operation
  }
  const failsWith = async (operationId: string, errorCode: string) => {
    const worker = engine.work()
    const operation = await engine.until(operationId, 'SUCCEEDED', 'FAILED')
    await worker.stop()
    assert.equal(operation.failure?.errorCode, errorCode)
    return operation
  }
  const retry = (operationId: string, run: number) =>
    engine.runtime.write((context) =>
      retryOperation(context, { params: { operationId }, query: {}, body: { run } }),
    )
  const takeOver = (operationId: string, run: number) =>
    engine.runtime.write((context) =>
      takeOverOperation(context, {
        params: { operationId },
        query: {},
        body: { run, reason: 'cleaning up' },
      }),
    )
  const detailOf = (operationId: string) =>
    readOperation(engine.runtime.read, { params: { operationId }, query: {}, body: undefined })

  test('an INSTALL goes through both stages and becomes ACTIVE, configured and in the ledger', async () => {
    engine.plugin.script(({ stage }) => ({
      outcome: 'APPLIED',
      resources: {
        [LOCATOR]:
          stage === 'BEFORE_RESOURCES'
            ? { tenantId: data('t-1') as never }
            : { token: data('issued-by-plugin', true) as never },
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

  test('the detail of an operation shows what was sent and answered, and nothing sensitive', async () => {
    engine.plugin.script(({ stage }) =>
      stage === 'BEFORE_RESOURCES'
        ? { outcome: 'APPLIED', resources: { [LOCATOR]: { token: data('issued-by-plugin') as never } } }
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
    const kept = await engine.runtime.db
      .selectFrom('runtime.attempt')
      .select(sql<string>`(attempt.*)::text`.as('row'))
      .where('operation_id', '=', operation_id)
      .execute()
    assert.ok(!JSON.stringify(kept).includes(SECRET))
    assert.ok(!JSON.stringify(kept).includes('issued-by-plugin'))
  })

  test('a call carries a token for its plugin, operation, stage and sequence', async () => {
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

  test('a CONFIGURE keeps the version and adds only what plugins wrote', async () => {
    const installation = await engine.installation()
    await endsWell((await engine.freeze({ installation, plan: planWith() })).operation_id)
    engine.plugin.script(() => ({
      outcome: 'VERIFIED',
      resources: { [LOCATOR]: { tenantId: data('t-2') as never } },
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

  test('an operation that changes nothing makes no snapshot', async () => {
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

  test('an UPGRADE removes what its target has no more and keeps instanceRefProperty', async () => {
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

  test('an uncertain call is repeated with the same bytes until it is certain', async () => {
    const replies = [
      { outcome: 'UNKNOWN' as const },
      { status: 503, body: 'busy' },
      'reset' as const,
      { status: 200, body: '{"errorCode":"0","da' },
      { errorCode: 'TENANT_BUSY', data: { message: 'later', retryable: true } },
    ]
    engine.plugin.script((_, before) => replies[before] ?? { outcome: 'APPLIED' })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const worker = engine.work()
    await engine.until(operation_id, 'SUCCEEDED')
    await worker.stop()

    const before = engine.plugin.calls.filter(({ stage }) => stage === 'BEFORE_RESOURCES')
    assert.equal(before.length, 6)
    assert.equal(new Set(before.map(({ body }) => body)).size, 1)
    const attempts = (await attemptsOf(operation_id)).filter(({ stage }) => stage === 'BEFORE_RESOURCES')
    assert.deepEqual(
      attempts.map(({ attempt, outcome, http_status, failure }) => [
        attempt,
        outcome,
        http_status,
        failure?.errorCode ?? null,
      ]),
      [
        [1, 'UNKNOWN', 200, 'PLUGIN_RESULT_UNKNOWN'],
        [2, null, 503, 'PLUGIN_RESULT_UNKNOWN'],
        [3, null, null, 'PLUGIN_UNREACHABLE'],
        [4, null, 200, 'PLUGIN_RESULT_UNKNOWN'],
        [5, null, 200, 'TENANT_BUSY'],
        [6, 'APPLIED', 200, null],
      ],
    )
  })

  test('a time-out is uncertain', async () => {
    await engine.register('first', { timeoutMs: 100 })
    engine.plugin.script((_, before) => (before === 0 ? 'hang' : { outcome: 'VERIFIED' }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    await endsWell(operation_id)
    assert.equal((await attemptsOf(operation_id))[0]?.failure?.errorCode, 'PLUGIN_TIMEOUT')
  })

  test('after 8 attempts an unknown result fails the operation, and its claim stays', async () => {
    engine.plugin.script(() => ({ outcome: 'UNKNOWN' }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const operation = await failsWith(operation_id, 'PLUGIN_RESULT_UNKNOWN')
    assert.equal(operation.holds_claim, true)
    assert.equal(operation.phase, 'BEFORE_RESOURCES')
    assert.equal(engine.plugin.calls.length, 8)
    await assert.rejects(engine.freeze({ installation, operationType: 'DETACH', plan: planWith() }), {
      code: 'OPERATION_CLAIM_HELD',
    })
  })

  test('a retryable code that lasts is what the operation fails with', async () => {
    await engine.register('first', { maxAttempts: 2 })
    engine.plugin.script(() => ({ errorCode: 'TENANT_BUSY', data: { message: 'later', retryable: true } }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const operation = await failsWith(operation_id, 'TENANT_BUSY')
    assert.deepEqual(operation.failure, {
      errorCode: 'TENANT_BUSY',
      message: 'later',
      retryable: true,
      errorPath: ['bundle-runtime', 'first'],
    })
  })

  test('a retry goes on from the call that failed, with the same id, sequence and bytes', async () => {
    const plan = planWith([reader('first', 1), reader('second', 2)])
    engine.plugin.script(({ pluginId }) =>
      pluginId === 'second' ? { errorCode: 'NO_QUOTA', data: null } : { outcome: 'APPLIED' },
    )
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan })
    await failsWith(operation_id, 'NO_QUOTA')
    await assert.rejects(retry(operation_id, 2), { code: 'OPERATION_NOT_RETRYABLE' })

    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    const { operation } = await retry(operation_id, 1)
    assert.equal(operation.state, 'RUNNING')
    assert.equal(operation.run, 2)
    await assert.rejects(retry(operation_id, 2), { code: 'OPERATION_NOT_RETRYABLE' })
    await endsWell(operation_id)
    assert.deepEqual(
      engine.plugin.calls.map(({ pluginId, stage }) => `${pluginId} ${stage}`),
      [
        'first BEFORE_RESOURCES',
        'second BEFORE_RESOURCES',
        'second BEFORE_RESOURCES',
        'first AFTER_RESOURCES',
        'second AFTER_RESOURCES',
      ],
    )
    assert.equal(engine.plugin.calls[1]?.body, engine.plugin.calls[2]?.body)
    const attempts = await attemptsOf(operation_id)
    assert.deepEqual(
      attempts.filter(({ plugin_id }) => plugin_id === 'second').map(({ run }) => run),
      [1, 2, 2],
    )
  })

  test('equal orders are called together; after a definite failure no later one is', async () => {
    let together = 0
    let most = 0
    const release = Promise.withResolvers<void>()
    engine.plugin.script(async ({ pluginId }) => {
      together++
      most = Math.max(most, together)
      if (together === 2) release.resolve()
      await release.promise
      together--
      return pluginId === 'first' ? { outcome: 'FAILED' } : { outcome: 'APPLIED' }
    })
    const plan = planWith([reader('first', 1), reader('second', 1), reader('third', 2)])
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan })
    await failsWith(operation_id, 'PLUGIN_REPORTED_FAILURE')
    assert.equal(most, 2)
    assert.deepEqual(engine.plugin.calls.map(({ pluginId }) => pluginId).toSorted(), ['first', 'second'])
    // the one in flight ended well and is not made again
    const calls = await readCalls(engine.runtime.db, operation_id)
    assert.deepEqual(
      calls
        .filter(({ stage }) => stage === 'BEFORE_RESOURCES')
        .map(({ plugin_id, ended_well, failed }) => [plugin_id, ended_well, failed]),
      [
        ['first', false, true],
        ['second', true, false],
        ['third', false, false],
      ],
    )
  })

  test('a disabled plugin is not called; the operation fails and can be retried', async () => {
    await engine.runtime.db
      .updateTable('runtime.plugin')
      .set({ enabled: false })
      .where('plugin_id', '=', 'second')
      .execute()
    const installation = await engine.installation()
    const plan = planWith([reader('first', 1), reader('second', 2)])
    const { operation_id } = await engine.freeze({ installation, plan })
    const operation = await failsWith(operation_id, 'PLUGIN_NOT_REGISTERED')
    assert.equal(operation.failure?.retryable, true)
    assert.deepEqual(
      engine.plugin.calls.map(({ pluginId }) => pluginId),
      ['first'],
    )
    await engine.register('second')
    await retry(operation_id, 1)
    await endsWell(operation_id)
  })

  test('a takeover is a DETACH with the next sequence over everything that was begun', async () => {
    const plan = planWith([reader('first', 1), authorization({ order: 2 })])
    engine.plugin.script(({ pluginId, stage }) => {
      if (pluginId === 'provisioner' && stage === 'BEFORE_RESOURCES')
        return { outcome: 'APPLIED', resources: { [LOCATOR]: { tenantId: data('t-1') as never } } }
      return stage === 'AFTER_RESOURCES' ? { outcome: 'FAILED' } : { outcome: 'APPLIED' }
    })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan })
    await assert.rejects(takeOver(operation_id, 1), { code: 'TAKEOVER_NOT_ALLOWED' })
    await failsWith(operation_id, 'PLUGIN_REPORTED_FAILURE')
    await assert.rejects(takeOver(operation_id, 7), { code: 'TAKEOVER_NOT_ALLOWED' })
    const { operation: detach } = await takeOver(operation_id, 1)
    assert.equal(detach.executionSequence, 2)
    assert.equal(detach.currentVersion, null)
    assert.equal(detach.targetVersion, '1.0.0')
    assert.equal(detach.takesOver, operation_id)

    // a DETACH that fails is taken over by another one
    await failsWith(detach.operationId, 'PLUGIN_REPORTED_FAILURE')
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'NOT_APPLIED' }))
    const { operation: last } = await takeOver(detach.operationId, 1)
    await endsWell(last.operationId)
    assert.deepEqual(
      engine.plugin.calls.map(({ pluginId }) => pluginId),
      ['provisioner', 'first', 'provisioner', 'first'],
    )
    assert.deepEqual(engine.plugin.calls[0]?.request.resources[LOCATOR]?.properties['tenantId'], data('t-1'))
    assert.equal(engine.plugin.calls[0]?.request.resources[LOCATOR]?.action, 'DETACH')
    const first = await detailOf(operation_id)
    assert.equal(first.state, 'TAKEN_OVER')
    assert.equal(first.takenOverBy, detach.operationId)
    assert.equal((await readInstallation(engine.runtime, installation.bundle_install_id)).state, 'DETACHED')
    assert.deepEqual(await ledger(installation.bundle_install_id), [])
    assert.deepEqual(await configuration(installation.scope_id), [])
  })

  test('a worker that dies amid a call is replaced, and the plugin is asked the same again', async () => {
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const dead: World = {
      ...engine.world,
      clock: { ...engine.world.clock, sleep: forever },
      http: {
        ...engine.world.http,
        request: async (request) => {
          await engine.world.http.request(request)
          return forever()
        },
      },
    }
    engine.work({ leaseMs: 500, graceMs: 0 }, { ...dead })
    while (engine.plugin.calls.length === 0) await engine.world.clock.sleep(10)
    await endsWell(operation_id)
    assert.equal(engine.plugin.calls.length, 3)
    assert.equal(engine.plugin.calls[0]?.body, engine.plugin.calls[1]?.body)
    const detail = await detailOf(operation_id)
    const [lost, repeated] = detail.stages[0]?.calls[0]?.attempts ?? []
    assert.equal(lost?.outcome, null)
    assert.equal(lost?.failure?.errorCode, 'PLUGIN_RESULT_UNKNOWN')
    assert.equal(repeated?.outcome, 'APPLIED')
  })

  test('a late answer is recorded as late and changes nothing', async () => {
    const gate = Promise.withResolvers<void>()
    engine.plugin.script(async ({ stage }, before) => {
      if (before > 0 || stage === 'AFTER_RESOURCES') return { outcome: 'APPLIED' }
      await gate.promise
      return { outcome: 'FAILED' }
    })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    // it cannot renew, as if it were paused
    const paused = { ...engine.world, clock: { ...engine.world.clock, sleep: forever } }
    engine.work({ leaseMs: 300 }, paused)
    while (engine.plugin.calls.length === 0) await engine.world.clock.sleep(10)
    await endsWell(operation_id)
    gate.resolve()
    const firstAttempt = async () =>
      (await attemptsOf(operation_id)).find(
        ({ stage, attempt }) => stage === 'BEFORE_RESOURCES' && attempt === 1,
      )
    while ((await firstAttempt())?.finished_at === null) await engine.world.clock.sleep(10)
    const first = await firstAttempt()
    assert.equal(first?.late, true)
    assert.equal(first?.outcome, 'FAILED')
    assert.equal((await engine.until(operation_id, 'SUCCEEDED')).failure, null)
    const calls = await readCalls(engine.runtime.db, operation_id)
    assert.ok(calls.every(({ ended_well, outcome }) => ended_well && outcome === 'APPLIED'))
  })

  test('many workers never run one operation at once', async () => {
    const running = new Map<string, number>()
    let most = 0
    engine.plugin.script(async ({ request }) => {
      const id = request.operation.operationId
      running.set(id, (running.get(id) ?? 0) + 1)
      most = Math.max(most, running.get(id) ?? 0)
      await engine.world.clock.sleep(5)
      running.set(id, (running.get(id) ?? 0) - 1)
      return { outcome: 'APPLIED' }
    })
    const ids: string[] = []
    for (let index = 0; index < 30; index++) {
      const installation = await engine.installation()
      ids.push(
        (await engine.freeze({ installation, plan: planWith([reader('first', 1), reader('second', 2)]) }))
          .operation_id,
      )
    }
    const workers = [engine.work(), engine.work(), engine.work()]
    for (const id of ids) await engine.until(id, 'SUCCEEDED')
    await Promise.all(workers.map((worker) => worker.stop()))
    assert.equal(most, 1)
    assert.equal(engine.plugin.calls.length, 30 * 4)
  })

  test('a plugin that hangs does not hold up the operations of others', async () => {
    engine.plugin.script(({ pluginId }) => (pluginId === 'first' ? 'hang' : { outcome: 'APPLIED' }))
    for (let index = 0; index < 12; index++) {
      await engine.freeze({
        installation: await engine.installation(),
        plan: planWith([reader('first', 1)]),
      })
    }
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith([reader('second', 1)]),
    })
    const worker = engine.work({ concurrency: 8, callsPerPlugin: 2 })
    const started = performance.now()
    await engine.until(operation_id, 'SUCCEEDED')
    assert.ok(performance.now() - started < 3_000)
    await worker.stop()
  })

  test('a worker that stops gives its operations back, and another goes on', async () => {
    engine.plugin.script((_, before) => (before === 0 ? 'hang' : { outcome: 'APPLIED' }))
    await engine.register('third', { maxAttempts: 1 })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('third', 1)]) })
    const worker = engine.work({ graceMs: 50 })
    while (engine.plugin.calls.every(({ request }) => request.operation.operationId !== operation_id))
      await engine.world.clock.sleep(10)
    await worker.stop()
    const [call] = (await readCalls(engine.runtime.db, operation_id)).filter(({ attempts }) => attempts > 0)
    assert.equal(call?.failed, false)
    const row = await engine.until(operation_id, 'RUNNING', 'WAITING')
    assert.equal(row.lease_owner, null)
  })
})

const forever = () => new Promise<never>(() => {})
