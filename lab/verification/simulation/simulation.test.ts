import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startTestServer } from '#database/testing.ts'
import { SeededRandom } from '../seeded-random.ts'
import { runHistory } from './history.ts'
import { NO_SKEW, processClock, SimulatedProcess } from './process.ts'
import { Schedule } from './schedule.ts'
import { openSimulation } from './simulation.ts'

const idle = () => null

suite('virtual time', () => {
  test('runs entries in the order of their time, whatever order they were added in', async () => {
    const schedule = new Schedule(0, new SeededRandom(1), idle)
    const times: number[] = []
    for (const ms of [30, 10, 20, 10]) schedule.after(ms, () => times.push(schedule.now))
    schedule.after(15, () => times.push(-1)).cancel()
    await schedule.runUntil(() => times.length === 4)
    assert.deepEqual(times, [10, 10, 20, 30])
    await assert.rejects(
      schedule.runUntil(() => false),
      /nothing is scheduled/,
    )
  })

  test('stands still while real work is in progress', async () => {
    let work: Promise<unknown> | null = null
    const schedule = new Schedule(0, new SeededRandom(1), () => work)
    const times: number[] = []
    schedule.after(5, () => {
      work = new Promise((resolve) => setTimeout(resolve, 20)).then(() => {
        times.push(schedule.now)
        work = null
      })
    })
    schedule.after(6, () => times.push(schedule.now))
    await schedule.runUntil(() => times.length === 2)
    assert.deepEqual(times, [5, 6])
  })

  test('a paused process receives everything when it resumes, a killed one nothing', async () => {
    const schedule = new Schedule(0, new SeededRandom(1), idle)
    const [paused, killed] = [new SimulatedProcess('paused'), new SimulatedProcess('killed')]
    const received: string[] = []
    for (const process of [paused, killed]) {
      void processClock(schedule, process, NO_SKEW)
        .sleep(10)
        .then(() => received.push(`${process.name} at ${schedule.now}`))
    }
    schedule.after(5, () => {
      paused.pause(schedule.now)
      killed.kill()
    })
    schedule.after(50, () => paused.resume(schedule.now))
    schedule.after(60, () => received.push('end'))
    await schedule.runUntil(() => received.includes('end'))
    assert.deepEqual(received, ['paused at 50', 'end'])
  })
})

suite('a history', async () => {
  const server = await startTestServer()
  after(() => server.stop())

  test('is the same for the same seed, and different for another', async () => {
    const one = await openSimulation(server.url)
    const first = await runHistory(one, { seed: 5 })
    const other = await runHistory(one, { seed: 6 })
    await one.close()
    const again = await openSimulation(server.url)
    const second = await runHistory(again, { seed: 5 })
    await again.close()
    assert.deepEqual(first.violations, [])
    assert.equal(first.hash, second.hash)
    assert.notEqual(first.hash, other.hash)
    assert.ok(first.faults > 0 && first.trace.length > 20)
  })

  test('reports a broken promise', async () => {
    const simulation = await openSimulation(server.url)
    // a repeat is sent with one more blank than the first attempt
    await simulation.database.query(`
      create function journal.spoil() returns trigger language plpgsql as $$
      begin new.request := old.request || ' '::bytea; return new; end $$`)
    await simulation.database.query(`
      create trigger spoil before update on runtime.plugin_call
        for each row when (old.request is not null) execute function journal.spoil()`)
    const { violations } = await runHistory(simulation, { seed: 5 })
    await simulation.close()
    assert.ok(violations.some(({ promise }) => promise === 'I2'))
  })
})
