import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { inTransaction } from '#database/transaction.ts'
import { until } from '../testing/stream.ts'
import { findOperation, lockOperation } from '../store/operations/operations.ts'
import { recordLateAnswer } from '../store/operations/attempts.ts'
import { readCalls } from '../store/operations/calls.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import { LOCATOR, planWith, reader } from '../testing/plan.ts'
import type { TestEngine } from '../testing/engine.ts'
import type { InstallationColumns } from '../model/installation.ts'

const engine: TestEngine = await testEngine()
const { attemptsOf, endsWell, failsWith, retry } = engineSteps(engine)

suite('an operation whose plugin calls fail', { concurrency: false }, () => {
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

  test('an unreadable operation rests, delays no other, and continues once it is repaired', async () => {
    const { db } = engine.runtime
    const installations = await Promise.all([engine.installation(), engine.installation()])
    const frozen = []
    for (const installation of installations)
      frozen.push(await engine.freeze({ installation, plan: planWith([reader('first', 1)]) }))
    const [broken, sound] = frozen
    const planOf = (operationId = '') =>
      db
        .selectFrom('runtime.operation_plan')
        .select('plan')
        .where('operation_id', '=', operationId)
        .executeTakeFirstOrThrow()
    const setPlan = (plan: unknown) =>
      db
        .updateTable('runtime.operation_plan')
        .set({ plan: JSON.stringify(plan) })
        .where('operation_id', '=', broken?.operation_id ?? '')
        .execute()
    const { plan } = await planOf(broken?.operation_id)
    // the same secret, sealed for another operation
    await setPlan((await planOf(sound?.operation_id)).plan)
    const worker = engine.work()
    await engine.until(sound?.operation_id ?? '', 'SUCCEEDED')
    const resting = await engine.until(broken?.operation_id ?? '', 'WAITING')
    assert.equal(resting.phase, 'BEFORE_RESOURCES')
    await setPlan(plan)
    await engine.until(broken?.operation_id ?? '', 'SUCCEEDED')
    await worker.stop()
  })

  test('a timeout is uncertain', async () => {
    await engine.register('first', { timeoutMs: 100 })
    engine.plugin.script((_, before) => (before === 0 ? 'hang' : { outcome: 'VERIFIED' }))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    await endsWell(operation_id)
    assert.equal((await attemptsOf(operation_id))[0]?.failure?.errorCode, 'PLUGIN_TIMEOUT')
  })

  test('after 8 attempts an unknown result fails the operation, which keeps its claim', async () => {
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

  test('an unknown result of the run is not forgotten when the plugin reports a failure in the end', async () => {
    await engine.register('first', { timeoutMs: 100, maxAttempts: 3 })
    const busy = { errorCode: 'BUSY', data: { message: 'later', retryable: true } } as const
    engine.plugin.script((_, before) => (before === 0 ? 'hang' : busy))
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const { failure } = await failsWith(operation_id, 'PLUGIN_RESULT_UNKNOWN')
    assert.deepEqual([failure?.attemptCode, failure?.message, failure?.attemptsUsed], ['BUSY', 'later', 3])
  })

  test('equal orders are called together; after a permanent failure no later order is called', async () => {
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
    // the call in flight succeeded and is not made again
    const calls = await readCalls(engine.runtime.db, engine.deps.vault, operation_id)
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

  test('an error of the runtime itself loses no response, and the operation continues when it is resolved', async () => {
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const { db } = engine.runtime
    const blocker = await engine.installation()
    await db
      .insertInto('runtime.installed_resource')
      .values(inTheWayOf(installation, blocker.bundle_install_id))
      .execute()
    const worker = engine.work()
    const waiting = await engine.until(operation_id, 'WAITING')
    assert.equal(waiting.phase, 'BEFORE_RESOURCES')
    await db.deleteFrom('runtime.installed_resource').where('locator', '=', LOCATOR).execute()
    await db
      .updateTable('runtime.operation')
      .set({ available_at: new Date(0).toISOString() })
      .where('operation_id', '=', operation_id)
      .execute()
    await engine.until(operation_id, 'SUCCEEDED')
    await worker.stop()
    assert.equal(engine.plugin.calls.length, 2)
  })

  test('an error of the runtime itself does not end an operation while one of its calls is in flight', async () => {
    const { db } = engine.runtime
    const [answerFirst, answerSecond] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    engine.plugin.script(async ({ pluginId }) => {
      await (pluginId === 'first' ? answerFirst : answerSecond).promise
      return pluginId === 'first' ? { outcome: 'FAILED' } : { outcome: 'APPLIED' }
    })
    const installation = await engine.installation()
    const plan = planWith([reader('first', 1), reader('second', 1)])
    const { operation_id } = await engine.freeze({ installation, plan })
    const damage = (writes: string | null) =>
      db
        .updateTable('runtime.plugin_call')
        .set({ writes })
        .where('operation_id', '=', operation_id)
        .where('stage', '=', 'AFTER_RESOURCES')
        .where('plugin_id', '=', 'first')
        .execute()
    const worker = engine.work()
    await until(() => engine.plugin.calls.length === 2)
    await damage('7')
    // another session has locked it, so that it is advanced on its own, from what is read
    await inTransaction(db, async (tx) => {
      await lockOperation(tx, operation_id)
      answerFirst.resolve()
      await engine.deps.clock.sleep(300)
    })
    await until(async () => (await attemptsOf(operation_id)).some(({ outcome }) => outcome === 'FAILED'))
    await damage(null)
    // if it were released, it would be leased now
    await db
      .updateTable('runtime.operation')
      .set({ available_at: new Date(0).toISOString() })
      .where('operation_id', '=', operation_id)
      .where('lease_owner', 'is', null)
      .execute()
    await engine.deps.clock.sleep(300)
    assert.equal((await findOperation(db, operation_id))?.state, 'RUNNING')
    answerSecond.resolve()
    await engine.until(operation_id, 'FAILED')
    await worker.stop()
    const attempts = await attemptsOf(operation_id)
    assert.deepEqual(
      attempts.map(({ outcome, late }) => [outcome, late]),
      [
        ['FAILED', false],
        ['APPLIED', false],
      ],
    )
  })

  test('an operation that cannot continue does not delay the others of its batch', async () => {
    const { db } = engine.runtime
    const gate = Promise.withResolvers<void>()
    engine.plugin.script(async ({ stage }) => {
      // all of them are answered at the same time
      if (stage === 'BEFORE_RESOURCES' && engine.plugin.calls.length === 8) gate.resolve()
      await gate.promise
      return { outcome: 'APPLIED' }
    })
    const ids: string[] = []
    for (let index = 0; index < 8; index++) {
      const installation = await engine.installation()
      const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
      ids.push(operation_id)
      if (index !== 3) continue
      const blocker = await engine.installation()
      await db
        .insertInto('runtime.installed_resource')
        .values(inTheWayOf(installation, blocker.bundle_install_id))
        .execute()
    }
    const worker = engine.work({ callsPerPlugin: 8 })
    for (const [index, id] of ids.entries()) await engine.until(id, index === 3 ? 'WAITING' : 'SUCCEEDED')
    const { held, advanced, advancedAlone } = worker.status()
    assert.ok(advanced + advancedAlone >= 15)
    assert.ok(advancedAlone > 0)
    await worker.stop()
    assert.equal(held, 0)
    // its response was kept, so the plugin is not called again
    const attempts = await attemptsOf(ids[3]!)
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ['APPLIED'],
    )
    await db.deleteFrom('runtime.installed_resource').where('locator', '=', LOCATOR).execute()
  })

  test('the first recorded response of an attempt is final', async () => {
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    await endsWell(operation_id)
    const before = await attemptsOf(operation_id)
    const { stage, plugin_id, attempt } = before[0]!
    await recordLateAnswer(
      engine.runtime.db,
      { operationId: operation_id, stage, pluginId: plugin_id, attempt },
      {
        judgement: {
          disposition: 'failed',
          isUncertain: false,
          outcome: 'FAILED',
          failure: null,
          writes: {},
          httpStatus: 200,
          recorded: null,
        },
        timing: null,
      },
    )
    assert.deepEqual(await attemptsOf(operation_id), before)
  })
})

/** Inserts a resource of another installation with the same locator, which nothing else would allow. */
function inTheWayOf({ scope_id }: InstallationColumns, bundle_install_id: string) {
  return {
    bundle_install_id,
    scope_id,
    locator: LOCATOR,
    kind: 'MODULE' as const,
    title: 'In the way',
    module_id: null,
    version: '1',
    definitions: '{}',
    written_by: '{}',
    properties: '{}',
  }
}
