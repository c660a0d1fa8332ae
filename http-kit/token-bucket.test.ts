import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTokenBuckets, createTurns } from './token-bucket.ts'

function start() {
  const clock = { now: 0 }
  const buckets = createTokenBuckets({ perSecond: 2, burst: 3 }, () => clock.now)
  const takeMany = (key: string, count: number) => Array.from({ length: count }, () => buckets.take(key))
  return { ...buckets, clock, takeMany }
}

describe('token buckets', () => {
  it('let a burst through, then so many a second, for each key', () => {
    const { clock, takeMany, giveBack } = start()
    assert.deepEqual(takeMany('a', 4), [true, true, true, false])
    assert.deepEqual(takeMany('b', 1), [true])
    clock.now = 1000
    assert.deepEqual(takeMany('a', 3), [true, true, false])
    giveBack('a')
    assert.deepEqual(takeMany('a', 2), [true, false])
  })

  it('say how long it takes until the next token', () => {
    const { clock, takeMany, untilNext } = start()
    assert.equal(untilNext('a'), 0)
    takeMany('a', 3)
    assert.equal(untilNext('a'), 500)
    clock.now = 400
    assert.ok(Math.abs(untilNext('a') - 100) < 1e-6)
    clock.now = 60_000
    assert.equal(untilNext('a'), 0)
  })

  it('owe what was done already, at most a burst, until it has come back', () => {
    const { clock, takeMany, owe, untilNext } = start()
    for (let count = 0; count < 9; count++) owe('a', 2)
    assert.equal(untilNext('a'), 2000)
    clock.now = 1_999
    assert.deepEqual(takeMany('a', 1), [false])
    clock.now = 2_000
    assert.deepEqual(takeMany('a', 2), [true, false])
  })

  it('never hold more than a burst', () => {
    const { clock, takeMany, giveBack } = start()
    clock.now = 3_600_000
    takeMany('a', 1)
    for (let count = 0; count < 5; count++) giveBack('a')
    giveBack('never used')
    assert.deepEqual(takeMany('a', 4), [true, true, true, false])
  })

  it('drop the least recently used key when there are too many', () => {
    const { takeMany } = start()
    takeMany('first', 3)
    takeMany('second', 3)
    for (let key = 0; key < 19_998; key++) takeMany(`key ${key}`, 1)
    assert.deepEqual(takeMany('first', 1), [false])
    takeMany('one too many', 1)
    assert.deepEqual(takeMany('first', 1), [false])
    assert.deepEqual(takeMany('second', 1), [true])
  })
})

describe('turns', () => {
  it('are not given to what has waited too long, and are not lost by it', async () => {
    const turns = createTurns({ atOnce: 1, waitingMax: 9, waitMs: 1 })
    const { promise, resolve } = Promise.withResolvers<string>()
    const served = turns.take('a', () => promise)
    // the timer of the turns does not keep the process alive
    const alive = setInterval(() => {}, 1000)
    assert.equal(await turns.take('a', async () => 'too late'), null)
    clearInterval(alive)
    resolve('first')
    assert.equal(await served, 'first')
    assert.equal(await turns.take('a', async () => 'next'), 'next')
  })
})
