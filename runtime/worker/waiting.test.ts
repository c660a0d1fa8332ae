import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import type { Reply } from '../testing/plugin.ts'
import { waitForLong } from '../testing/wait-for-long.ts'
import { listOperations } from '../use-cases/operations/list.ts'
import { attemptNow, stopRetrying } from '../use-cases/operations/runs.ts'

const engine: TestEngine = await testEngine()
const { attemptsOf, detailOf, endsWell, retry, takeOver } = engineSteps(engine)

suite('an operation that waits for its next attempt', { concurrency: false }, () => {
  after(() => engine.close())
  before(() => engine.register('first'))

  const person = () => ({ id: engine.runtime.actor.id, name: engine.runtime.actor.name })
  /** An operation whose first call had an unknown result or this one, and whose next attempt is an hour away. */
  const waiting = async (reply: Reply = { outcome: 'UNKNOWN' }) => {
    engine.plugin.script(() => reply)
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const worker = engine.work()
    do await engine.until(operation_id, 'WAITING')
    while (!(await waitForLong(engine.runtime.db, operation_id)))
    await worker.stop()
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    return operation_id
  }
  const listed = async (operationId: string) => {
    const query = runtimeApi['GET /operations'].query.parse({ q: operationId })
    const context = { deps: engine.deps, actor: engine.runtime.actor }
    return (await listOperations(context, { params: {}, query, body: undefined })).items[0]
  }
  const start = (operationId: string, run = 1) =>
    engine.runtime.write((context) =>
      attemptNow(context, { params: { operationId }, query: {}, body: { run } }),
    )
  const stop = (operationId: string, run = 1) =>
    engine.runtime.write((context) =>
      stopRetrying(context, { params: { operationId }, query: {}, body: { run, reason: 'Enough' } }),
    )

  test('is tried immediately if a person requests it', async () => {
    const operationId = await waiting()
    await assert.rejects(start(operationId, 2), { code: 'OPERATION_NOT_RETRYABLE' })
    const { operation } = await start(operationId)
    assert.equal(operation.state, 'WAITING')
    // without it, this would take an hour
    await endsWell(operationId)
    await assert.rejects(start(operationId), { code: 'OPERATION_NOT_RETRYABLE' })
  })

  test('fails if a person stops the retries, and can be retried', async () => {
    const operationId = await waiting()
    await assert.rejects(stop(operationId, 2), { code: 'OPERATION_NOT_RETRYABLE' })
    const { operation } = await stop(operationId)
    assert.equal(operation.state, 'FAILED')
    assert.equal(operation.failure?.errorCode, 'PLUGIN_RESULT_UNKNOWN')
    assert.equal(operation.failure?.parameters?.['reason'], 'callReportedUnknown')
    assert.deepEqual(operation.failure?.stopped, { by: person(), reason: 'Enough' })
    assert.equal(operation.nextStep.actor, 'PLUGIN_OWNER')
    const { call } = await detailOf(operationId)
    assert.equal(call?.pluginId, 'first')
    assert.deepEqual(operation.call, call)
    assert.deepEqual((await listed(operationId))?.call, call)
    assert.ok(call.attempts > 0)
    await retry(operationId, 1)
    await endsWell(operationId)
    const [retried] = (await detailOf(operationId)).retries
    assert.equal(retried?.run, 2)
    assert.equal(retried?.failure?.stopped?.reason, 'Enough')
  })

  test('keeps the failure that the plugin reported last if a person stops the retries', async () => {
    const data = { message: 'The directory is busy.', retryable: true }
    const operationId = await waiting({ errorCode: 'BUSY', data })
    const { operation } = await stop(operationId)
    const { errorCode, message, stopped } = operation.failure ?? {}
    assert.deepEqual({ errorCode, message }, { errorCode: 'BUSY', message: 'The directory is busy.' })
    assert.deepEqual(stopped, { by: person(), reason: 'Enough' })
    assert.equal(operation.nextStep.actor, 'PLUGIN_OWNER')
  })

  test('fails with the code of an earlier unknown result if the plugin reported a failure last', async () => {
    const operationId = await waiting()
    engine.plugin.script(() => ({ errorCode: 'BUSY', data: { message: 'later', retryable: true } }))
    await start(operationId)
    const worker = engine.work()
    const lastCode = async () => (await attemptsOf(operationId)).at(-1)?.failure?.errorCode
    while ((await lastCode()) !== 'BUSY') await engine.deps.clock.sleep(10)
    while (!(await waitForLong(engine.runtime.db, operationId))) await engine.deps.clock.sleep(10)
    await worker.stop()
    const { operation } = await stop(operationId)
    assert.equal(operation.failure?.errorCode, 'PLUGIN_RESULT_UNKNOWN')
    assert.deepEqual([operation.failure?.attemptCode, operation.failure?.message], ['BUSY', 'later'])
  })

  test('can be taken over once the retries are stopped', async () => {
    const operationId = await waiting()
    await assert.rejects(takeOver(operationId, 1), { code: 'TAKEOVER_NOT_ALLOWED' })
    await stop(operationId)
    const { operation } = await takeOver(operationId, 1)
    await endsWell(operation.operationId)
    const taken = await detailOf(operationId)
    assert.equal(taken.takeover?.reason, 'cleaning up')
    assert.equal(taken.takeover?.at, operation.createdAt)
  })

  test('does not count the time between its runs as work', async () => {
    const operationId = await waiting()
    await stop(operationId)
    const { db } = engine.runtime
    await db
      .updateTable('runtime.operation')
      .set({ started_at: '2026-11-20T10:00:00.000Z', finished_at: '2026-11-20T10:00:02.500Z' })
      .where('operation_id', '=', operationId)
      .execute()
    const { operation } = await retry(operationId, 1)
    assert.equal(operation.earlierRunsMs, 2_500)
    assert.ok(Date.parse(operation.runStartedAt ?? '') > Date.parse('2026-11-20T10:00:03Z'))
    assert.equal(operation.nextStep.since, operation.runStartedAt)
    await endsWell(operationId)
  })
})
