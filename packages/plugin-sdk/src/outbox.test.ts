import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '../../../database/settings.ts'
import { testDatabase } from '../../../database/testing.ts'
import { eventNamed, eventTarget } from '../testing/event-target.ts'
import { memoryStore } from './memory-store.ts'
import { eventOutbox, type OutboxOptions } from './outbox.ts'
import { postgresStore } from './postgres-store.ts'
import { sqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

verify('the memory store', async () => memoryStore())
verify('the SQLite store', async () => sqliteStore(':memory:'))
verify('the PostgreSQL store', async (t) => {
  const database = await testDatabase({ migrations: [] })
  const pool = new pg.Pool({ ...clientConfig(database.connection), max: 5 })
  // The end of the database can end idle connections first.
  pool.on('error', () => undefined)
  t.after(async () => {
    await pool.end()
    await database.close()
  })
  return postgresStore(pool)
})

function verify<Tx>(name: string, open: (t: TestContext) => Promise<Store<Tx>>): void {
  /** An outbox with these events, a target, and a clock that the test moves. */
  async function setUp(
    t: TestContext,
    { names, ...options }: { names: string[] } & Partial<OutboxOptions<Tx>>,
  ) {
    const store = await open(t)
    const target = await eventTarget(t)
    const errors: unknown[] = []
    const failedIds: (string | null)[] = []
    const clock = { now: Date.now() }
    const create = (changes: Partial<OutboxOptions<Tx>> = {}) =>
      eventOutbox({
        store,
        platformApiBase: target.platformApiBase,
        credential: 'plugin-credential',
        onError(error, eventId) {
          errors.push(error)
          failedIds.push(eventId)
        },
        now: () => clock.now,
        ...options,
        ...changes,
      })
    const outbox = create()
    await store.transaction(async (tx) => {
      for (const each of names) await outbox.publish(tx, eventNamed(each))
    })
    const failures = async () =>
      (await outbox.list())
        .filter(({ lastError }) => lastError !== null)
        .map(({ state, attempts, lastError }) => [state, attempts, lastError?.errorCode])
    return { store, outbox, create, target, errors, failedIds, clock, failures }
  }

  describe(`the outbox on ${name}`, () => {
    test('stores the result of every event when the credential of one cannot be read', async (t) => {
      const unreadable = new Error('The credential file is empty')
      let reads = 0
      const { outbox, target, errors, failedIds, clock, failures } = await setUp(t, {
        names: ['a', 'b', 'c', 'd', 'e'],
        credential() {
          if (reads++ === 0) throw unreadable
          return 'plugin-credential'
        },
      })
      assert.equal(await outbox.deliverDue(), 5)
      assert.deepEqual(await outbox.count(), { PENDING: 1, DELIVERED: 4, FAILED: 0 })
      assert.deepEqual(await failures(), [['PENDING', 1, 'DELIVERY_ERROR']])
      assert.deepEqual(errors, [unreadable])
      assert.ok((await outbox.list()).some(({ eventId }) => eventId === failedIds[0]))

      clock.now += 120_000
      assert.equal(await outbox.deliverDue(), 1)
      assert.deepEqual(target.arrivals, { a: 1, b: 1, c: 1, d: 1, e: 1 })
    })

    test('ends an attempt whose credential is not read in time', async (t) => {
      let isHanging = true
      const { outbox, target, errors, clock, failures } = await setUp(t, {
        names: ['a'],
        timeoutMs: 500,
        credential: () => (isHanging ? new Promise<string>(() => undefined) : 'plugin-credential'),
      })
      assert.equal(await outbox.deliverDue(), 1)
      assert.deepEqual(await failures(), [['PENDING', 1, 'RESOLUTION_UNCERTAIN']])
      assert.deepEqual(errors, [])

      isHanging = false
      clock.now += 120_000
      assert.equal(await outbox.deliverDue(), 1)
      assert.deepEqual(target.arrivals, { a: 1 })
    })

    test('stores the message of a target that contains a NUL character', async (t) => {
      const { outbox, target } = await setUp(t, { names: ['a', 'b'] })
      target.reactions['a'] = 'refuse with NUL'
      assert.equal(await outbox.deliverDue(), 2)
      assert.deepEqual(await outbox.count(), { PENDING: 1, DELIVERED: 1, FAILED: 0 })
      const [failed] = await outbox.list({ state: 'PENDING' })
      assert.equal(failed?.lastError?.message, 'The target\ufffd is busy')
    })

    for (const [problem, retry] of Object.entries({
      'throws an error': () => {
        throw new Error('no policy')
      },
      'returns no valid delay': () => Number.NaN,
    }))
      test(`uses the default retry policy when the author's policy ${problem}`, async (t) => {
        const { outbox, target, errors, clock, failures } = await setUp(t, { names: ['a', 'b', 'c'], retry })
        target.reactions['a'] = 'refuse'
        assert.equal(await outbox.deliverDue(), 3)
        assert.deepEqual(await outbox.count(), { PENDING: 1, DELIVERED: 2, FAILED: 0 })
        assert.deepEqual(await failures(), [['PENDING', 1, 'TARGET_BUSY']])
        assert.equal(errors.length, 1)
        assert.equal(await outbox.deliverDue(), 0)

        clock.now += 120_000
        target.reactions['a'] = 'confirm'
        assert.equal(await outbox.deliverDue(), 1)
        assert.deepEqual(target.arrivals, { a: 2, b: 1, c: 1 })
      })

    test('stores the result of an attempt while another one is in progress', async (t) => {
      const { outbox, create, target } = await setUp(t, { names: ['a', 'b', 'c'], timeoutMs: 5_000 })
      target.reactions['a'] = 'hang'
      const delivery = outbox.deliverDue()
      await until(async () => (await outbox.count()).DELIVERED === 2)
      assert.equal(await create().deliverDue(), 0)
      target.release()
      assert.equal(await delivery, 3)
      assert.deepEqual(target.arrivals, { a: 1, b: 1, c: 1 })
    })

    test('sends what becomes due while a service does not answer, once started (E07)', async (t) => {
      const { store, outbox, target } = await setUp(t, { names: ['a'], timeoutMs: 5_000, pollMs: 10 })
      target.reactions['a'] = 'hang'
      outbox.start()
      await until(async () => target.arrivals['a'] === 1)
      await store.transaction((tx) => outbox.publish(tx, eventNamed('b')))
      await until(async () => (await outbox.count()).DELIVERED === 1)
      target.release()
      await outbox.stop()
      assert.deepEqual(target.arrivals, { a: 1, b: 1 })
      assert.deepEqual(await outbox.count(), { PENDING: 0, DELIVERED: 2, FAILED: 0 })
    })

    test('sends other events while services that did not answer keep it waiting (E07)', async (t) => {
      const names = ['a', 'b', 'c', 'd']
      const { store, outbox, target, clock } = await setUp(t, { names, concurrency: 4, timeoutMs: 5_000 })
      for (const each of names) target.reactions[each] = 'drop'
      assert.equal(await outbox.deliverDue(), 4)
      for (const each of names) target.reactions[each] = 'hang'
      clock.now += 120_000
      await store.transaction((tx) => outbox.publish(tx, { ...eventNamed('other'), propertyKey: 'other' }))
      const delivery = outbox.deliverDue()
      await until(async () => target.arrivals['other'] === 1)
      target.release()
      assert.equal(await delivery, 5)
      assert.deepEqual(await outbox.count(), { PENDING: 2, DELIVERED: 3, FAILED: 0 })
      const waiting = await outbox.list({ state: 'PENDING' })
      assert.deepEqual(
        waiting.map(({ attempts }) => attempts),
        [1, 1],
      )

      for (const each of names) target.reactions[each] = 'confirm'
      clock.now += 120_000
      assert.equal(await outbox.deliverDue(), 2)
      for (const each of names) assert.equal(target.arrivals[each], 2)
    })

    test('sends other events while services that answer late keep it waiting (E07)', async (t) => {
      const timeoutMs = 2_000
      const { store, outbox, target, clock } = await setUp(t, { names: ['a'], concurrency: 4, timeoutMs })
      target.reactions['a'] = 'hang'
      const late = outbox.deliverDue()
      await until(async () => target.arrivals['a'] === 1)
      await wait(timeoutMs / 4 + 100)
      target.release()
      await late
      const next = ['b', 'c', 'd', 'e']
      for (const each of next) target.reactions[each] = 'hang'
      await store.transaction(async (tx) => {
        for (const each of next) await outbox.publish(tx, eventNamed(each))
      })
      clock.now += 1
      await store.transaction((tx) => outbox.publish(tx, { ...eventNamed('other'), propertyKey: 'other' }))
      const delivery = outbox.deliverDue()
      await until(async () => target.arrivals['other'] === 1)
      target.release()
      assert.equal(await delivery, 5)
      assert.equal(next.filter((each) => target.arrivals[each] === 1).length, 2)
    })

    test('refuses an event whose installation is not one, before it can stop the others (E07)', async (t) => {
      const { store, outbox, target } = await setUp(t, { names: ['a'] })
      const odd = eventNamed('odd')
      // as a driver of a database reads a number of 64 bits
      const installation = { ...odd.installation, workspaceId: '7' as unknown as number }
      await assert.rejects(
        store.transaction((tx) => outbox.publish(tx, { ...odd, installation })),
        /installation of an event/,
      )
      assert.equal(await outbox.deliverDue(), 1)
      assert.deepEqual(target.arrivals, { a: 1 })
    })

    test('leases no more events than it sends at the same time', async (t) => {
      const names = ['a', 'b', 'c', 'd', 'e']
      const { outbox, create, target } = await setUp(t, { names, concurrency: 2, timeoutMs: 5_000 })
      for (const each of names) target.reactions[each] = 'hang'
      const delivery = outbox.deliverDue()
      await until(async () => Object.keys(target.arrivals).length === 2)
      for (const each of names) target.reactions[each] = 'confirm'
      assert.equal(await create().deliverDue(), 3)
      target.release()
      assert.equal(await delivery, 2)
      assert.deepEqual(target.arrivals, { a: 1, b: 1, c: 1, d: 1, e: 1 })
    })
  })
}

/** Waits for a condition. Fails after 4 s, before the requests time out. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 4_000
  while (!(await isTrue())) {
    assert.ok(performance.now() < giveUpAt, 'The condition did not become true')
    await wait(5)
  }
}
