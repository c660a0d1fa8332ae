import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startTestServer } from '#database/testing.ts'
import { Actor, actorClock, RIGHT } from './actor.ts'
import { liveHistory } from './history.ts'
import { SeededRandom } from '../seeded-random.ts'
import { Schedule } from './schedule.ts'
import { openSimulation } from './simulation.ts'

const never = () => null

suite('virtual time', () => {
  test('goes from one thing to the next, whatever order they were asked for in', async () => {
    const schedule = new Schedule(0, new SeededRandom(1), never)
    const heard: number[] = []
    for (const ms of [30, 10, 20, 10]) schedule.after(ms, () => heard.push(schedule.now))
    schedule.after(15, () => heard.push(-1)).cancel()
    await schedule.runUntil(() => heard.length === 4)
    assert.deepEqual(heard, [10, 10, 20, 30])
    await assert.rejects(
      schedule.runUntil(() => false),
      /nothing happens any more/,
    )
  })

  test('stands while something real is under way', async () => {
    let busy: Promise<unknown> | null = null
    const schedule = new Schedule(0, new SeededRandom(1), () => busy)
    const seen: number[] = []
    schedule.after(5, () => {
      busy = new Promise((resolve) => setTimeout(resolve, 20)).then(() => {
        seen.push(schedule.now)
        busy = null
      })
    })
    schedule.after(6, () => seen.push(schedule.now))
    await schedule.runUntil(() => seen.length === 2)
    assert.deepEqual(seen, [5, 6])
  })

  test('a paused process hears of everything when it wakes, a killed one of nothing', async () => {
    const schedule = new Schedule(0, new SeededRandom(1), never)
    const [paused, killed] = [new Actor('paused'), new Actor('killed')]
    const heard: string[] = []
    for (const actor of [paused, killed]) {
      void actorClock(schedule, actor, RIGHT)
        .sleep(10)
        .then(() => heard.push(`${actor.name} at ${schedule.now}`))
    }
    schedule.after(5, () => {
      paused.pause(schedule.now)
      killed.kill()
    })
    schedule.after(50, () => paused.wake(schedule.now))
    schedule.after(60, () => heard.push('end'))
    await schedule.runUntil(() => heard.includes('end'))
    assert.deepEqual(heard, ['paused at 50', 'end'])
  })
})

suite('a history', async () => {
  const server = await startTestServer()
  after(() => server.stop())

  test('is the same for the same seed, and another for another', async () => {
    const one = await openSimulation(server.url)
    const first = await liveHistory({ seed: 5, ...one })
    const other = await liveHistory({ seed: 6, ...one })
    await one.close()
    const again = await openSimulation(server.url)
    const second = await liveHistory({ seed: 5, ...again })
    await again.close()
    assert.deepEqual(first.violations, [])
    assert.equal(first.hash, second.hash)
    assert.notEqual(first.hash, other.hash)
    assert.ok(first.faults > 0 && first.trace.length > 20)
  })

  test('tells of a promise that is broken', async () => {
    const simulation = await openSimulation(server.url)
    // a repeat is sent with a blank more than the first attempt had
    await simulation.database.query(`
      create function proof.spoil() returns trigger language plpgsql as $$
      begin new.request := old.request || ' '::bytea; return new; end $$`)
    await simulation.database.query(`
      create trigger spoil before update on runtime.plugin_call
        for each row when (old.request is not null) execute function proof.spoil()`)
    const { violations } = await liveHistory({ seed: 5, ...simulation })
    await simulation.close()
    assert.ok(violations.some(({ promise }) => promise === 'I2'))
  })
})
