import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { Advancer } from './advancer.ts'
import { acquireOperations } from './acquire-operations.ts'
import { Leases } from './leases.ts'
import { Bulkhead, Permits } from './bulkhead.ts'
import { zeroCounters } from './worker.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'

const engine = await testEngine()
const { attemptsOf } = engineSteps(engine)
const LEASE_MS = 60_000

suite('operations that a worker advances together', () => {
  after(() => engine.close())

  test('of two leases of one operation only the later is advanced, and the earlier is reported as lost', async () => {
    const { deps } = engine
    await engine.register('first')
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const leases = new Leases(deps, LEASE_MS)
    const bulkhead = new Bulkhead(4)
    const counters = zeroCounters()
    const advancer = new Advancer({
      deps,
      leases,
      counters,
      leaseMs: LEASE_MS,
      isStopping: () => false,
      operationCount: () => 2,
      onProgress: () => {},
    })
    const leaseIt = async () => {
      const since = deps.clock.monotonic()
      const due = { owner: 'one and the same', leaseMs: LEASE_MS, limit: 1, ...bulkhead.room() }
      const [leased] = await acquireOperations(deps, due)
      assert.ok(leased !== undefined)
      leases.add(leased.lease, since)
      return { leased, answered: [], isInFlight: false, permits: new Permits(bulkhead) }
    }
    const earlier = await leaseIt()
    // simulates a lease that ended without the worker's knowledge
    await sql`update runtime.operation set available_at = clock_timestamp() where operation_id = ${operation_id}`.execute(
      deps.db,
    )
    const later = await leaseIt()
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
})
