import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { Advancer, lengthWritten, nextBatch } from './advancer.ts'
import { acquireOperations } from './acquire-operations.ts'
import { Leases } from './leases.ts'
import { Bulkhead, Permits } from './bulkhead.ts'
import { zeroCounters } from './worker.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import { data, LOCATOR, planWith, reader } from '../testing/plan.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'

const engine = await testEngine()
const { attemptsOf } = engineSteps(engine)
const LEASE_MS = 60_000

/** A worker's advancer, and what leases one due operation for it. */
function advancerWith(deps: RuntimeDeps, operationCount: () => number) {
  const leases = new Leases(deps, LEASE_MS)
  const bulkhead = new Bulkhead(16)
  const counters = zeroCounters()
  const advancer = new Advancer({
    deps,
    leases,
    counters,
    leaseMs: LEASE_MS,
    isStopping: () => false,
    operationCount,
    onProgress: () => {},
  })
  const leaseOne = async () => {
    const since = deps.clock.monotonic()
    const due = { owner: 'one and the same', leaseMs: LEASE_MS, limit: 1, ...bulkhead.room() }
    const [leased] = await acquireOperations(deps, due)
    assert.ok(leased !== undefined)
    leases.add(leased.lease, since)
    return { leased, answered: [], isInFlight: false, permits: new Permits(bulkhead) }
  }
  return { advancer, counters, leaseOne }
}

/** Time stands still: a sleep ends when it is aborted, or when the test ends it. */
function stillClock(deps: RuntimeDeps) {
  const sleeps: { ms: number; end(): void }[] = []
  const sleep: RuntimeDeps['clock']['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      sleeps.push({ ms, end: resolve })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return { sleeps, deps: { ...deps, clock: { ...deps.clock, sleep } } }
}

suite('operations that a worker advances together', () => {
  after(() => engine.close())

  test('of two leases of one operation only the later is advanced, and the earlier is reported as lost', async () => {
    const { deps } = engine
    await engine.register('first')
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const { advancer, counters, leaseOne } = advancerWith(deps, () => 2)
    const earlier = await leaseOne()
    // simulates a lease that ended without the worker's knowledge
    await sql`update runtime.operation set available_at = clock_timestamp() where operation_id = ${operation_id}`.execute(
      deps.db,
    )
    const later = await leaseOne()
    assert.ok(later.leased.lease.epoch > earlier.leased.lease.epoch)

    // at the same time, so in one batch
    const [first, second] = await Promise.all([advancer.advance(earlier), advancer.advance(later)])
    assert.equal(first.kind, 'lost')
    assert.equal(second.kind, 'call')
    assert.deepEqual(
      second.calls.map(({ pluginId }) => pluginId),
      ['first'],
    )
    // it was not advanced in one batch with the other operation
    assert.deepEqual([counters.batches, counters.advanced], [1, 1])
    // the first started with the earlier lease
    assert.equal((await attemptsOf(operation_id)).length, 2)
  })

  suite('when six are leased', () => {
    const leaseSix = async (operationCount: number, values = 0) => {
      const still = stillClock(engine.deps)
      const { leaseOne, ...made } = advancerWith(still.deps, () => operationCount)
      await engine.register('first')
      const ready = []
      for (let index = 0; index < 6; index++) {
        const installation = await engine.installation()
        const plan = planWith([reader('first', 1)])
        const many = Array.from({ length: values }, (_, at) => [`value${at}`, data('of many')])
        for (const resource of plan.resources) Object.assign(resource.properties, Object.fromEntries(many))
        await engine.freeze({ installation, plan })
        ready.push(await leaseOne())
      }
      return { ...made, sleeps: still.sleeps, first: ready.slice(0, 2), others: ready.slice(2) }
    }

    test('a batch waits for all of them, and no longer', async () => {
      const { advancer, counters, sleeps, first, others } = await leaseSix(6)
      const advanced = first.map((ready) => advancer.advance(ready))
      await new Promise(setImmediate)
      assert.equal(sleeps.length, 1)
      advanced.push(...others.map((ready) => advancer.advance(ready)))
      assert.equal((await Promise.all(advanced)).length, 6)
      assert.deepEqual([counters.batches, counters.advanced], [1, 6])
    })

    test('they are one batch before their plugins are called, however many values they have', async () => {
      const { advancer, counters, first, others } = await leaseSix(6, 600)
      await Promise.all([...first, ...others].map((ready) => advancer.advance(ready)))
      assert.deepEqual([counters.batches, counters.advanced], [1, 6])
    })

    test('what their plugins write counts as much as what they write themselves, by its length (J01)', async () => {
      const { first } = await leaseSix(6, 3)
      const leased = first[0]?.leased
      assert.ok(leased?.calls != null)
      const long = 'x'.repeat(1_000)
      const writes = { [LOCATOR]: { tenantId: data(long), token: data([long, long], true) } }
      const calls = leased.calls.map((call) => ({ ...call, writes }))
      const none = lengthWritten({ leased, answered: [] })
      assert.ok(lengthWritten({ leased: { ...leased, calls }, answered: [] }) > none + calls.length * 3_000)
      assert.ok(lengthWritten({ leased, answered: [{ judgement: { writes } }] }) > none + 3_000)
      const [resource] = leased.plan.resources
      assert.ok(resource !== undefined)
      const plan = { ...leased.plan, resources: [{ ...resource, properties: { tenantId: data(long) } }] }
      assert.ok(lengthWritten({ leased: { ...leased, plan }, answered: [] }) > 1_000)
      // many short values are much too
      const short = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, data(at)]))
      const many = { ...leased, plan: { ...leased.plan, resources: [{ ...resource, properties: short }] } }
      assert.ok(lengthWritten({ leased: many, answered: [] }) > 131_072)
      const all = { leased: { ...leased, plan, calls }, answered: [{ judgement: { writes } }] }
      assert.ok(lengthWritten(all, 1_500) < lengthWritten(all) / 2)
    })

    test('a batch waits a few milliseconds for one whose plugin does not respond', async () => {
      const { advancer, counters, sleeps, first, others } = await leaseSix(7)
      const advanced = [...first, ...others].map((ready) => advancer.advance(ready))
      await new Promise(setImmediate)
      assert.equal(counters.batches, 0)
      for (const { ms, end } of sleeps) {
        assert.ok(ms <= 10, `it waits ${ms} ms`)
        end()
      }
      assert.equal((await Promise.all(advanced)).length, 6)
      assert.deepEqual([counters.batches, counters.advanced], [1, 6])
    })
  })
})

test('operations with many values take turns with all others, who do not wait until all of them are written (J01)', () => {
  let waiting = ['many 1', 'few 1', 'many 2', 'few 2'].map((name) => ({
    name,
    length: 1,
    hasMany: name.startsWith('many'),
  }))
  let wasMany = false
  const batches: string[][] = []
  while (waiting.length > 0) {
    const batch: { name: string; length: number; hasMany: boolean }[] = nextBatch({ waiting, wasMany })
    waiting = waiting.filter((one) => !batch.includes(one))
    wasMany = batch.some(({ hasMany }) => hasMany)
    batches.push(batch.map(({ name }) => name))
    if (batches.length === 2) waiting.push({ name: 'few 3', length: 1, hasMany: false })
  }
  assert.deepEqual(batches, [['many 1'], ['few 1', 'few 2'], ['many 2'], ['few 3']])
  // nor are very many with some values each
  const some = Array.from({ length: 50 }, () => ({ length: 100_000, hasMany: false }))
  assert.equal(nextBatch({ waiting: some, wasMany: false }).length, 6)
})
