import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { until } from '../testing/stream.ts'
import { slowClaims, testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import type { TestEngine } from '../testing/engine.ts'

const engine: TestEngine = await testEngine()

suite('capacity of a worker', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['first', 'second']) await engine.register(pluginId)
  })

  test('left by a waiting operation is used at once', async () => {
    const { db } = engine.runtime
    engine.plugin.script(({ pluginId }) =>
      pluginId === 'first' ? { outcome: 'UNKNOWN' } : { outcome: 'APPLIED' },
    )
    await engine.register('first', { maxAttempts: 1_000 })
    await db
      .updateTable('runtime.plugin')
      .set({ max_backoff_ms: 3_600_000 })
      .where('plugin_id', '=', 'first')
      .execute()
    const waiting = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith([reader('first', 1)]),
    })
    // enough attempts to put the next one far in the future
    await db
      .updateTable('runtime.plugin_call')
      .set({ run_attempts: 20 })
      .where('operation_id', '=', waiting.operation_id)
      .execute()
    const due = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith([reader('second', 1)]),
    })
    const worker = engine.work({ concurrency: 1, pollMs: 60_000 })
    await engine.until(due.operation_id, 'SUCCEEDED')
    await engine.until(waiting.operation_id, 'WAITING')
    await worker.stop()
  })

  test('left at a plugin is used while the operation continues with another plugin', async () => {
    const next = Promise.withResolvers<void>()
    await engine.register('second', { timeoutMs: 30_000 })
    const plan = () => planWith([reader('first', 1), reader('second', 2)])
    const [one, other] = [
      await engine.freeze({ installation: await engine.installation(), plan: plan() }),
      await engine.freeze({ installation: await engine.installation(), plan: plan() }),
    ]
    engine.plugin.script(async ({ pluginId }, earlier) => {
      if (pluginId === 'first' && earlier === 1) next.resolve()
      if (pluginId === 'second') await next.promise
      return { outcome: 'APPLIED' }
    })
    const worker = engine.work({ concurrency: 8, callsPerPlugin: 1, pollMs: 60_000 })
    await engine.until(one.operation_id, 'SUCCEEDED')
    await engine.until(other.operation_id, 'SUCCEEDED')
    await worker.stop()
  })

  test('left by operations that fail without a call is used at once', async () => {
    const operations = []
    for (let made = 0; made < 5; made++) {
      const installation = await engine.installation()
      operations.push(await engine.freeze({ installation, plan: planWith([reader('nobody', 1)]) }))
    }
    const worker = engine.work({ concurrency: 8, callsPerPlugin: 1, pollMs: 60_000 })
    for (const { operation_id } of operations) await engine.until(operation_id, 'FAILED')
    await worker.stop()
  })

  test('left by an operation is used while its end is recorded, and not before', async (context) => {
    await engine.register('first', { timeoutMs: 30_000 })
    const freeze = async () => {
      const installation = await engine.installation()
      // a success that changes no configuration: it is decided before its row is locked
      const operationType = 'CONFIGURE'
      const plan = planWith([reader('first', 1)])
      return (await engine.freeze({ installation, operationType, plan })).operation_id
    }
    const [ending, next] = [await freeze(), await freeze()]
    const [lastCall, answer, end] = [0, 1, 2].map(() => Promise.withResolvers<void>())
    assert.ok(lastCall !== undefined && answer !== undefined && end !== undefined)
    engine.plugin.script(async ({ request }) => {
      if (request.operation.operationId === ending && request.stage === 'AFTER_RESOURCES') {
        lastCall.resolve()
        await answer.promise
      }
      return { outcome: 'APPLIED' }
    })
    const worker = engine.work({ concurrency: 1, callsPerPlugin: 2, pollMs: 60_000, leaseMs: 60_000 })
    context.after(() => end.resolve())
    await lastCall.promise
    const { polls } = worker.status()
    worker.wake()
    await until(() => worker.status().polls > polls)
    assert.equal(worker.status().held, 1)

    const locked = Promise.withResolvers<void>()
    const locking = engine.runtime.db.transaction().execute(async (tx) => {
      const row = tx.selectFrom('runtime.operation').select('state').where('operation_id', '=', ending)
      await row.forUpdate().execute()
      locked.resolve()
      await end.promise
    })
    await locked.promise
    answer.resolve()
    await engine.until(next, 'SUCCEEDED')
    // the worker learns of the commit a moment after everybody else
    await until(() => worker.status().held === 1)
    end.resolve()
    await locking
    await engine.until(ending, 'SUCCEEDED')
    await worker.stop()
  })

  test('freed during a lease request is used at once', async (context) => {
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await engine.register('first', { timeoutMs: 30_000 })
    const freeze = async () => {
      const installation = await engine.installation()
      return (await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })).operation_id
    }
    const before = [await freeze(), await freeze(), await freeze()]
    engine.plugin.script(async ({ request }) => {
      await (before.includes(request.operation.operationId) ? early : late).promise
      return { outcome: 'APPLIED' }
    })
    const { deps, hold } = slowClaims(engine.deps)
    const worker = engine.work({ concurrency: 8, callsPerPlugin: 4, pollMs: 60_000, leaseMs: 60_000 }, deps)
    let letGo = () => {}
    // even if the test fails: the engine does not stop workers of another setup
    context.after(() => {
      letGo()
      early.resolve()
      late.resolve()
      return worker.stop()
    })
    await until(() => engine.plugin.calls.length === 3)
    const after = [await freeze(), await freeze(), await freeze(), await freeze()]
    const { leased, release } = hold()
    letGo = release
    worker.wake()
    await leased
    // the request had capacity for one, and now there is capacity for four
    early.resolve()
    for (const operationId of before) await engine.until(operationId, 'SUCCEEDED')
    release()
    const isCalled = (operationId: string) =>
      engine.plugin.calls.some(({ request }) => request.operation.operationId === operationId)
    await until(() => after.every(isCalled))
    late.resolve()
    for (const operationId of after) await engine.until(operationId, 'SUCCEEDED')
  })
})
