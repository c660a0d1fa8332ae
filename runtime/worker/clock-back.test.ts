import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { keepClock, lookAtClock, noteClock, readLargestDifference } from '../store/recovery/keep-clock.ts'
import { keepSigningKey } from '../store/signing-keys.ts'
import { takeDeliveries } from '../store/webhooks/deliver.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { testHttp } from '../testing/http.ts'
import { planWith, reader } from '../testing/plan.ts'
import { waitForLong } from '../testing/wait-for-long.ts'

const engine: TestEngine = await testEngine()
const { endsWell } = engineSteps(engine)
const LEASE_MS = 60_000

suite('after the clock of the database went back', { concurrency: false }, () => {
  const { db } = engine.runtime
  after(() => engine.close())
  before(() => engine.register('first'))

  /** As if the clock had gone back: what was written before is in the future. */
  const goBack = async (seconds: number): Promise<void> => {
    await sql`update runtime.clock set latest = clock_timestamp() + make_interval(secs => ${seconds})`.execute(
      db,
    )
  }
  const frozen = async () => {
    const installation = await engine.installation()
    return (await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })).operation_id
  }
  /** An operation whose first call had an unknown result, and whose next attempt is an hour away. */
  const waiting = async (): Promise<string> => {
    engine.plugin.script(() => ({ outcome: 'UNKNOWN' }))
    const operationId = await frozen()
    const worker = engine.work()
    do await engine.until(operationId, 'WAITING')
    while (!(await waitForLong(db, operationId)))
    await worker.stop()
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    return operationId
  }
  const dueIn = async (operationId: string): Promise<number> => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from available_at - clock_timestamp())::float8 as seconds
      from runtime.operation where operation_id = ${operationId}`.execute(db)
    return rows[0]?.seconds ?? NaN
  }

  test('an operation that waits goes on after its wait', async () => {
    const operationId = await waiting()
    await goBack(3_595)
    assert.equal((await lookAtClock(db)).isKept, false)
    const moved = await keepClock(db, LEASE_MS)
    assert.equal(moved?.operations, 1)
    assert.ok(Math.abs(moved.seconds - 3_595) < 2)
    assert.ok((await dueIn(operationId)) < 10)
    assert.equal((await lookAtClock(db)).isKept, true)
    assert.equal(await keepClock(db, LEASE_MS), null, 'once on all replicas')
    await endsWell(operationId)
  })

  test('an operation without its worker goes on when its lease ends, and a live lease stays', async () => {
    const [orphan, live] = [await frozen(), await frozen()]
    await sql`update runtime.operation set state = 'RUNNING', lease_owner = 'gone', lease_epoch = 1, started_at = clock_timestamp(),
      available_at = clock_timestamp() + case when operation_id = ${orphan} then interval '1 hour 20 seconds' else interval '50 seconds' end
      where operation_id in (${orphan}, ${live})`.execute(db)
    await goBack(3_600)
    assert.equal((await keepClock(db, LEASE_MS))?.operations, 1)
    assert.ok((await dueIn(orphan)) < 25)
    assert.ok((await dueIn(live)) > 40)
    await sql`update runtime.operation set available_at = clock_timestamp() where operation_id in (${orphan}, ${live})`.execute(
      db,
    )
    await endsWell(orphan)
    await endsWell(live)
  })

  test('what is due later than anything ever waits is not frozen, whatever made it so', async () => {
    const operationId = await frozen()
    await sql`update runtime.operation set available_at = '2100-01-01' where operation_id = ${operationId}`.execute(
      db,
    )
    await sql`update runtime.clock set latest = clock_timestamp() - interval '10 seconds'`.execute(db)
    assert.deepEqual(await keepClock(db, LEASE_MS), { seconds: 0, operations: 1 })
    assert.ok((await dueIn(operationId)) <= 3_600)
    await sql`update runtime.operation set available_at = clock_timestamp()`.execute(db)
    await endsWell(operationId)
  })

  test('deliveries, retention and counted hours do not wait until the clock has caught up', async () => {
    await sql`
      with receiver as (
        insert into runtime.webhook (webhook_id, title, url, address, events, retrying_after_minutes, enabled, secret)
        values (gen_random_uuid(), 'a receiver', 'http://receiver.test', '', '{}', 10, true, '') returning webhook_id)
      insert into runtime.webhook_delivery (webhook_id, event, subject, body, available_at)
      select webhook_id, 'test', 'one', '{}', clock_timestamp() + interval '23 hours 59 minutes 59 seconds' from receiver`.execute(
      db,
    )
    await sql`update runtime.retention set due_at = clock_timestamp() + interval '2 days'`.execute(db)
    await sql`update runtime.operation_counted set counted_until = date_trunc('hour', clock_timestamp(), 'UTC') + interval '20 hours'`.execute(
      db,
    )
    await goBack(86_400)
    await keepClock(db, LEASE_MS)
    const { rows } = await sql<{ due: boolean; counted: boolean }>`
      select due_at <= clock_timestamp() + interval '1 day' as due, counted_until <= clock_timestamp() as counted
      from runtime.retention, runtime.operation_counted`.execute(db)
    assert.deepEqual(rows, [{ due: true, counted: true }])
    assert.equal((await takeDeliveries(db, 1)).length, 1)
  })

  test('what a person has compared counts for an hour, and no longer', async () => {
    await sql`insert into runtime.comparison (actor_id, scope_id, locator, property, digest, compared_at)
      select 'ada', 1, 'l', 'p', int4send(n), clock_timestamp() + make_interval(hours => n - 1) from generate_series(0, 23) as n`.execute(
      db,
    )
    await goBack(86_400)
    await keepClock(db, LEASE_MS)
    const { rows } = await sql<{ later: number }>`
      select count(*) filter (where compared_at > clock_timestamp())::integer as later from runtime.comparison`.execute(
      db,
    )
    assert.deepEqual(rows, [{ later: 0 }])
    await sql`delete from runtime.comparison`.execute(db)
  })

  test('a replica without a worker leaves it to others: it does not know how long leases are', async () => {
    const api = await testHttp({ worker: 'off' })
    try {
      const own = api.runtime.deps.db
      await sql`update runtime.clock set latest = clock_timestamp() + interval '1 hour'`.execute(own)
      // it looks at the clock every second
      await sleep(2_500)
      assert.equal((await lookAtClock(own)).isKept, false)
    } finally {
      await api.close()
    }
  })

  test('a replica whose clock differs is known to all, until it agrees', async () => {
    await keepSigningKey(db, { kid: 'one', kty: 'OKP', alg: 'EdDSA', use: 'sig' })
    await keepSigningKey(db, { kid: 'two', kty: 'OKP', alg: 'EdDSA', use: 'sig' })
    assert.equal(await readLargestDifference(db), null)
    await noteClock(db, 'one', 3_000)
    await noteClock(db, 'two', -400_000)
    assert.equal(await readLargestDifference(db), -400_000)
    await noteClock(db, 'two', null)
    assert.equal(await readLargestDifference(db), 3_000)
    await noteClock(db, 'one', null)
    assert.equal(await readLargestDifference(db), null)
  })
})
