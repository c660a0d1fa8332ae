import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Attempt } from '#contract/runtime-api/operations.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'

const engine: TestEngine = await testEngine()
const { detailOf, endsWell, failsWith, retry } = engineSteps(engine)
/** What a lower bound may lack, because timers and clocks are rounded. */
const ROUNDING_MS = 5
const PLUGIN_MS = 120

suite('the times of an attempt', { concurrency: false }, () => {
  after(() => engine.close())

  const freeze = async (plugins: readonly string[]) => {
    const plan = planWith(plugins.map((plugin, index) => reader(plugin, index + 1)))
    const { operation_id } = await engine.freeze({ installation: await engine.installation(), plan })
    return operation_id
  }
  const attemptsOf = async (operationId: string, plugin: string, stage = 0): Promise<Attempt[]> => {
    const { stages } = await detailOf(operationId)
    return stages[stage]?.calls.find(({ pluginId }) => pluginId === plugin)?.attempts ?? []
  }
  const slowly = async () => {
    await engine.deps.clock.sleep(PLUGIN_MS)
    return { outcome: 'APPLIED' } as const
  }
  const waitOf = ({ dueAt, startedAt }: Attempt) => {
    assert.ok(dueAt)
    return Date.parse(startedAt) - Date.parse(dueAt)
  }

  test('tell the plugin from the runtime, and their sum is the duration', async () => {
    await engine.register('slow')
    engine.plugin.script(slowly)
    const operationId = await freeze(['slow'])
    await endsWell(operationId)
    const stages = [await attemptsOf(operationId, 'slow'), await attemptsOf(operationId, 'slow', 1)]
    for (const [attempt] of stages) {
      assert.ok(attempt?.timing)
      const { sentMs, connectedMs, answeredMs, endedMs } = attempt.timing
      assert.ok(connectedMs !== null && answeredMs !== null && attempt.durationMs !== null)
      assert.ok(sentMs <= connectedMs && connectedMs < answeredMs && answeredMs <= endedMs)
      assert.ok(endedMs <= attempt.durationMs + ROUNDING_MS)
      assert.ok(answeredMs - connectedMs >= PLUGIN_MS - ROUNDING_MS)
    }
  })

  test('tell how long an operation waited for a worker', async () => {
    await engine.register('first')
    await engine.register('second')
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    const operationId = await freeze(['first', 'second'])
    await engine.deps.clock.sleep(PLUGIN_MS)
    await endsWell(operationId)
    const [first] = await attemptsOf(operationId, 'first')
    const [second] = await attemptsOf(operationId, 'second')
    assert.ok(first && waitOf(first) >= PLUGIN_MS - ROUNDING_MS)
    assert.equal(Date.parse(first.dueAt ?? ''), Date.parse((await detailOf(operationId)).createdAt))
    // the second call is possible once the first is recorded, not since the request
    assert.ok(second?.dueAt && Date.parse(second.dueAt) >= Date.parse(first.startedAt))
  })

  test('tell the end of a back-off, and the start of a run that a person requested', async () => {
    await engine.register('busy', { maxAttempts: 2 })
    engine.plugin.script(() => ({ status: 503, body: 'busy' }))
    const operationId = await freeze(['busy'])
    await failsWith(operationId, 'PLUGIN_RESULT_UNKNOWN')
    const [one, two] = await attemptsOf(operationId, 'busy')
    assert.ok(one?.timing && two?.dueAt && waitOf(two) >= 0)
    // a back-off begins when the call has ended, which may be long before the attempt is recorded
    assert.ok(Date.parse(two.dueAt) + ROUNDING_MS >= Date.parse(one.startedAt) + one.timing.endedMs)
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    await retry(operationId, 1)
    await endsWell(operationId)
    const third = (await attemptsOf(operationId, 'busy'))[2]
    const [retried] = (await detailOf(operationId)).retries
    assert.ok(third?.dueAt && retried && third.dueAt >= retried.startedAt)
    assert.ok(waitOf(third) >= 0)
  })

  test('have no response of a plugin that does not answer, and no connection to one that cannot be reached', async () => {
    await engine.register('silent', { timeoutMs: PLUGIN_MS, maxAttempts: 1 })
    engine.plugin.script(() => 'hang')
    const silent = await freeze(['silent'])
    await failsWith(silent, 'PLUGIN_RESULT_UNKNOWN')
    const [unanswered] = await attemptsOf(silent, 'silent')
    assert.ok(unanswered?.timing?.connectedMs)
    assert.equal(unanswered.timing.answeredMs, null)
    assert.ok(unanswered.timing.endedMs >= PLUGIN_MS - ROUNDING_MS)

    await engine.register('absent', { maxAttempts: 1 })
    await engine.runtime.db
      .updateTable('runtime.plugin')
      .set({ endpoint: 'http://127.0.0.1:9/' })
      .where('plugin_id', '=', 'absent')
      .execute()
    const absent = await freeze(['absent'])
    await failsWith(absent, 'PLUGIN_RESULT_UNKNOWN')
    const [unreached] = await attemptsOf(absent, 'absent')
    assert.ok(unreached?.timing)
    assert.deepEqual([unreached.timing.connectedMs, unreached.timing.answeredMs], [null, null])
  })

  test('are not known of an attempt that an earlier version recorded', async () => {
    await engine.register('old')
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    const operationId = await freeze(['old'])
    await endsWell(operationId)
    await engine.runtime.db
      .updateTable('runtime.attempt')
      .set({ due_at: null, sent_ms: null, connected_ms: null, answered_ms: null, ended_ms: null })
      .where('operation_id', '=', operationId)
      .execute()
    const [attempt] = await attemptsOf(operationId, 'old')
    assert.deepEqual([attempt?.dueAt, attempt?.timing], [null, null])
  })
})
