import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { Advancer } from './advancer.ts'
import { acquireOperations } from './acquire-operations.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import { Leases } from './leases.ts'
import { Bulkhead } from './bulkhead.ts'
import { runOperation } from './run-operation.ts'
import { zeroCounters } from './worker.ts'
import { engineSteps, slowClaims, testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'

const engine = await testEngine()
const { attemptsOf, endsWell } = engineSteps(engine)
const LEASE_MS = 60_000

suite('the first call of a new operation', { concurrency: false }, () => {
  before(async () => {
    for (const pluginId of ['first', 'second', 'off']) await engine.register(pluginId)
    await sql`update runtime.plugin set enabled = false where plugin_id = 'off'`.execute(engine.deps.db)
  })
  beforeEach(() => engine.plugin.calls.splice(0))
  after(() => engine.close())

  const freeze = async (...plugins: ReturnType<typeof reader>[]) =>
    engine.freeze({ installation: await engine.installation(), plan: planWith(plugins) })

  const leaseIt = async (operationId: string, bulkhead = new Bulkhead(4)): Promise<LeasedOperation> => {
    const due = { owner: 'me', leaseMs: LEASE_MS, limit: 10, ...bulkhead.room() }
    const leased = (await acquireOperations(engine.deps, due)).find(
      ({ lease }) => lease.operationId === operationId,
    )
    assert.ok(leased !== undefined)
    return leased
  }

  const expire = (operationId: string) =>
    sql`update runtime.operation set available_at = clock_timestamp() where operation_id = ${operationId}`.execute(
      engine.deps.db,
    )

  test('starts with the lease, which records it', async () => {
    const { operation_id } = await freeze(reader('first', 1), reader('second', 2))
    const { begun, calls } = await leaseIt(operation_id)
    assert.deepEqual(
      begun.map(({ pluginId, stage, attempt }) => ({ pluginId, stage, attempt })),
      [{ pluginId: 'first', stage: 'BEFORE_RESOURCES', attempt: 1 }],
    )
    assert.equal(
      calls?.find(({ stage, pluginId }) => stage === begun[0]?.stage && pluginId === 'first')?.attempts,
      1,
    )
    const attempts = await attemptsOf(operation_id)
    assert.deepEqual(
      attempts.map(({ plugin_id, attempt, finished_at }) => ({ plugin_id, attempt, finished_at })),
      [{ plugin_id: 'first', attempt: 1, finished_at: null }],
    )

    // a worker that leases the operation later does not know whether the call was made
    await expire(operation_id)
    assert.deepEqual((await leaseIt(operation_id)).begun, [])
    await expire(operation_id)
    await endsWell(operation_id)
    const ofFirst = engine.plugin.calls.filter((call) => call.pluginId === 'first')
    assert.deepEqual(
      ofFirst.map(({ stage }) => stage),
      ['BEFORE_RESOURCES', 'AFTER_RESOURCES'],
    )
    assert.equal(ofFirst[0]?.body, begun[0]?.bytes.toString())
  })

  test('does not start with the lease if several plugins are called first, or if the plugin may not be called', async () => {
    for (const plugins of [[reader('first', 1), reader('second', 1)], [reader('off', 1)]]) {
      const { operation_id } = await freeze(...plugins)
      assert.deepEqual((await leaseIt(operation_id)).begun, [])
      assert.deepEqual(await attemptsOf(operation_id), [])
    }
  })

  test('waits for a permit that another operation took during the lease request', async () => {
    const { operation_id } = await freeze(reader('first', 1))
    const { bulkhead, running } = await runWithoutPermit(operation_id)
    await engine.deps.clock.sleep(100)
    assert.equal(engine.plugin.calls.length, 0)
    bulkhead.releaseAll(['first'])
    const released = await running
    assert.equal(released?.state, 'succeed')
    assert.equal(engine.plugin.calls.length, 2)
    assert.equal((await attemptsOf(operation_id)).length, 2)
  })

  test('is not made if no permit becomes free soon, and then the current registration of its plugin counts', async () => {
    const { deps } = engine
    const { operation_id } = await freeze(reader('first', 1))
    const { running } = await runWithoutPermit(operation_id)
    const enable = (enabled: boolean) =>
      sql`update runtime.plugin set enabled = ${enabled} where plugin_id = 'first'`.execute(deps.db)
    await enable(false)
    try {
      const released = await running
      assert.equal(released?.state, 'wait')
      const [attempt] = await attemptsOf(operation_id)
      assert.match(attempt?.failure?.message ?? '', /will send it later/)
      const worker = engine.work()
      const { failure } = await engine.until(operation_id, 'FAILED')
      await worker.stop()
      assert.equal(failure?.errorCode, 'PLUGIN_NOT_REGISTERED')
      assert.equal(engine.plugin.calls.length, 0)
    } finally {
      await enable(true)
    }
  })

  test('is not made once the worker stops', async () => {
    const { operation_id } = await freeze(reader('first', 1))
    const { deps, hold } = slowClaims(engine.deps)
    const { leased, release } = hold()
    const worker = engine.work({ pollMs: 60_000, leaseMs: LEASE_MS, graceMs: 5_000 }, deps)
    await leased
    const stopping = worker.stop()
    release()
    await stopping
    assert.equal(engine.plugin.calls.length, 0)
    await endsWell(operation_id)
  })

  /** Runs an operation whose lease request counted on a permit that another operation has taken since. */
  const runWithoutPermit = async (operationId: string) => {
    const { deps } = engine
    const bulkhead = new Bulkhead(1)
    const leased = await leaseIt(operationId, bulkhead)
    assert.equal(leased.begun.length, 1)
    assert.ok(bulkhead.acquireAll(['first']))
    const leases = new Leases(deps, LEASE_MS)
    leases.add(leased.lease, deps.clock.monotonic())
    const counters = zeroCounters()
    const [isStopping, onProgress] = [() => false, () => {}]
    const options = {
      deps,
      leases,
      counters,
      leaseMs: LEASE_MS,
      isStopping,
      operationCount: () => 1,
      onProgress,
    }
    const { signal } = new AbortController()
    const advancer = new Advancer(options)
    const context = { deps, advancer, leases, bulkhead, counters, stopping: signal, abandon: signal }
    return { bulkhead, running: runOperation(context, leased) }
  }
})
