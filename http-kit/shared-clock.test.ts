import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { SharedClock } from './shared-clock.ts'

const START = Date.parse('2026-01-31T08:00:00Z')
const HOUR = 3_600_000
/** The steps of a clock that are tried: 45 s, 120 s, an hour and a day, back and forth. */
const STEPS = [45_000, 120_000, HOUR, 24 * HOUR].flatMap((ms) => [-ms, ms])

let passed = 0
let machine = 0
let database = 0
let isAway = false
let logged: string[] = []
let clock: SharedClock

/** Time passes; the clocks go on, and a program looks at the database every second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    passed += 1_000
    await clock.refresh()
  }
}

const isRight = (): boolean => Math.abs(clock.now().getTime() - START - passed) < 100

beforeEach(async () => {
  passed = 0
  machine = 0
  database = 0
  isAway = false
  logged = []
  const own = {
    now: () => new Date(START + passed + machine),
    monotonic: () => 5_000 + passed,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('stopped'))),
      ),
  }
  clock = new SharedClock(own, {
    log: { warn: (message) => void logged.push(message) },
    look: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(START + passed + database)),
  })
  await clock.refresh()
})

describe('the time on which programs agree', () => {
  for (const step of STEPS) {
    const name = `${step / 1000} s`
    it(`stays right, and says so, while the machine's clock is wrong by ${name}`, async () => {
      machine = step
      assert.ok(isRight(), 'at once')
      await pass(60)
      assert.ok(isRight())
      assert.match(
        logged.join('\n'),
        new RegExp(`${Math.abs(step / 1000)}\\.0 s ${step < 0 ? 'behind' : 'ahead of'}.*synchronize`),
      )
      assert.equal(logged.length, 1)
      assert.equal(clock.problem(), logged[0])
      machine = 0
      await pass(1)
      assert.ok(isRight())
      assert.match(logged[1] ?? '', /agree again/)
      assert.equal(clock.problem(), null)
    })

    it(`stays right while the database's clock is wrong by ${name}`, async () => {
      database = step
      await pass(60)
      assert.ok(isRight())
      assert.match(clock.problem() ?? '', /find out which one is wrong/)
      database = 0
      await pass(1)
      assert.ok(isRight())
      assert.equal(clock.problem(), null)
    })

    it(`follows both if they were set by ${name}, and still knows the time before`, async () => {
      let steps = 0
      clock.onStep(() => (steps += 1))
      machine = step
      database = step
      await pass(3)
      assert.equal(clock.now().getTime(), START + passed + step)
      assert.equal(steps, 1)
      assert.deepEqual(
        clock.possibleTimes().map((time) => time.getTime() - START - passed),
        [step, 0],
      )
      assert.equal(clock.problem(), null)
      assert.match(logged.join(), /were set/)
    })

    it(`is that of the database for a program that starts with a clock that is wrong by ${name}`, async () => {
      machine = step
      const own = {
        now: () => new Date(START + passed + machine),
        monotonic: () => passed,
        sleep: () => Promise.resolve(),
      }
      const started = new SharedClock(own, {
        log: { warn: () => {} },
        look: () => Promise.resolve(START + passed),
      })
      started.observe({ databaseMs: START + passed, askedAt: passed, answeredAt: passed })
      assert.equal(started.now().getTime(), START + passed)
    })
  }

  it("goes on while the database is away, whatever the machine's clock does", async () => {
    isAway = true
    machine = -HOUR
    await pass(600)
    assert.ok(isRight())
  })

  it('takes a slow response for no step', async () => {
    clock.observe({
      databaseMs: START + passed + 3_000,
      askedAt: 5_000 + passed,
      answeredAt: 5_000 + passed + 6_000,
    })
    assert.ok(isRight())
    await pass(1)
    assert.deepEqual(logged, [])
  })

  it('looks again before something is signed if the machine was set', async () => {
    machine = HOUR
    database = HOUR
    await clock.refreshAfterStep()
    assert.equal(clock.now().getTime(), START + passed + HOUR)
  })
})
