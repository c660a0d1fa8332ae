import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { MASK } from '#contract/protocol/data.ts'
import { inTransaction } from '#database/transaction.ts'
import { engineSteps, testEngine, readInstallation } from '../testing/engine.ts'
import { authorization, data, LOCATOR, planWith, reader } from '../testing/plan.ts'
import type { TestEngine } from '../testing/engine.ts'
import type { Reply } from '../testing/plugin.ts'
import { redactRecorded } from './persist-decisions.ts'

const engine: TestEngine = await testEngine()
const { configuration, ledger, attemptsOf, endsWell, failsWith, retry, takeOver, detailOf } =
  engineSteps(engine)

suite('an operation that a person retries or takes over', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['provisioner', 'first', 'second', 'third']) await engine.register(pluginId)
  })

  /** Starts an operation: while one plugin writes the token as sensitive, another one, called at the same time, answers this. */
  async function calledWithWriter(token: string, reply: Reply, laterMs: number): Promise<string> {
    const both = Promise.withResolvers<void>()
    const calls: string[] = []
    engine.plugin.script(async ({ pluginId, stage }) => {
      if (stage !== 'BEFORE_RESOURCES') return { outcome: 'APPLIED' }
      calls.push(pluginId)
      if (calls.length === 2) both.resolve()
      await both.promise
      if (pluginId === 'provisioner')
        return { outcome: 'APPLIED', resources: { [LOCATOR]: { token: data(token, true) } } }
      await engine.deps.clock.sleep(laterMs)
      return reply
    })
    const installation = await engine.installation()
    const plan = planWith([authorization(), reader('first', 1)])
    const { operation_id } = await engine.freeze({ installation, plan })
    return operation_id
  }

  test('an operation whose plugin keeps returning a retryable code fails with that code', async () => {
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
      attemptsUsed: 2,
    })
  })

  test('a retry continues from the failed call, with the same id, sequence and bytes', async () => {
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
    const sequences = engine.plugin.calls.map(({ request }) => request.executionSequence)
    assert.deepEqual([...new Set(sequences)], [1])
    const attempts = await attemptsOf(operation_id)
    assert.deepEqual(
      attempts.filter(({ plugin_id }) => plugin_id === 'second').map(({ run }) => run),
      [1, 2, 2],
    )
  })

  test('a value that a plugin finally writes as sensitive is masked in its earlier responses', async () => {
    const token = 'issued-token-1234'
    engine.plugin.script(({ stage }, before) => {
      if (stage !== 'BEFORE_RESOURCES') return { outcome: 'APPLIED' }
      if (before === 0)
        return { errorCode: 'BUSY', data: { message: `No room for ${token} yet`, retryable: true } }
      return { outcome: 'APPLIED', resources: { [LOCATOR]: { token: data(token, true) } } }
    })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    await endsWell(operation_id)
    const detail = await detailOf(operation_id)
    assert.equal(detail.stages[0]?.calls[0]?.attempts.length, 2)
    assert.doesNotMatch(JSON.stringify(detail), new RegExp(token))
  })

  test('such values are prepared once for all responses that were recorded, because that takes long (J01)', async () => {
    const readings: number[] = []
    for (const failures of [1, 5]) {
      engine.plugin.calls.length = 0
      engine.plugin.script((_, before) =>
        before < failures
          ? { errorCode: 'BUSY', data: { message: 'No room yet', retryable: true } }
          : { outcome: 'APPLIED' },
      )
      const installation = await engine.installation()
      const { operation_id } = await engine.freeze({ installation, plan: planWith() })
      await endsWell(operation_id)
      let count = 0
      const secret = {
        get token() {
          count++
          return 'issued-token-3456'
        },
      }
      await inTransaction(engine.deps.db, (tx) =>
        redactRecorded(tx, [{ operationId: operation_id, secrets: [secret] }]),
      )
      readings.push(count)
    }
    assert.ok(readings[0] !== undefined && readings[0] > 0)
    assert.equal(readings[1], readings[0])
  })

  test('a value that a plugin writes as sensitive is masked in the response of a plugin called at the same time', async () => {
    const token = 'issued-token-5678'
    for (const laterMs of [0, 300]) {
      const operation_id = await calledWithWriter(
        token,
        { errorCode: 'BUSY', data: { message: `No room for ${token}`, retryable: false } },
        laterMs,
      )
      const operation = await failsWith(operation_id, 'BUSY')
      assert.doesNotMatch(JSON.stringify(operation.failure), new RegExp(token))
      assert.doesNotMatch(JSON.stringify(await detailOf(operation_id)), new RegExp(token))
    }
  })

  test('such a value is masked in the headers of a plugin called at the same time, as they are stored', async () => {
    const token = 'issued-token-9012'
    await engine.register('first', { maxAttempts: 1 })
    for (const laterMs of [0, 300]) {
      const operation_id = await calledWithWriter(
        token,
        { status: 502, body: '', headers: { server: `gate ${token}`, via: '1.1 gate' } },
        laterMs,
      )
      await failsWith(operation_id, 'PLUGIN_RESULT_UNKNOWN')
      const stored = await engine.runtime.db
        .selectFrom('runtime.attempt')
        .select('wire')
        .where('operation_id', '=', operation_id)
        .where('plugin_id', '=', 'first')
        .execute()
      assert.deepEqual(
        stored.map(({ wire }) => ({ ...wire?.headers, date: '' })),
        [{ server: MASK, via: '1.1 gate', date: '' }],
      )
    }
  })

  test('a takeover is a DETACH with the next sequence over everything that was started', async () => {
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

    // a failed DETACH is taken over by another one
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

  test('a retry has the full number of attempts again', async () => {
    await engine.register('first', { maxAttempts: 2 })
    engine.plugin.script((_, before) => (before === 3 ? { outcome: 'APPLIED' } : { outcome: 'UNKNOWN' }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    await failsWith(operation_id, 'PLUGIN_RESULT_UNKNOWN')
    engine.plugin.script(({ stage }, before) =>
      stage === 'BEFORE_RESOURCES' && before === 2 ? { outcome: 'UNKNOWN' } : { outcome: 'APPLIED' },
    )
    await retry(operation_id, 1)
    await endsWell(operation_id)
  })
})
