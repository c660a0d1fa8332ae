import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { readCalls } from './store/operations/read-calls.ts'
import { engineSteps, testEngine, readInstallation } from './operations/testing-engine.ts'
import { authorization, data, LOCATOR, planWith, reader } from './operations/testing-plan.ts'
import type { TestEngine } from './operations/testing-engine.ts'

const engine: TestEngine = await testEngine()
const { configuration, ledger, attemptsOf, endsWell, failsWith, retry, takeOver, detailOf } =
  engineSteps(engine)

suite('an operation whose plugins do not just succeed', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['provisioner', 'first', 'second', 'third']) await engine.register(pluginId)
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
        return { outcome: 'APPLIED', resources: { [LOCATOR]: { tenantId: data('t-1') } } }
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
})
