import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingAttempt, withAttempts } from './chosen-attempts.ts'
import { at, attempt, call, operation, timeout } from './testing.ts'
import { timelineOf } from './timeline.ts'

const made = (numbers: readonly number[]) =>
  numbers.map((number) => timeout({ attempt: number, startedAt: at(number * 1000) }))
const answer = operation({}, { after: [call('hooks', 1, made([1, 2, 8, 9])), call('other', 2, [attempt()])] })

test('the attempts between the first and the last are a gap', () => {
  const [hooks, other] = timelineOf(answer).after.rows
  assert.equal(hooks?.count, 9)
  assert.deepEqual(
    hooks?.gaps.map(({ first, last, from, to }) => [first, last, at(from - Date.parse(at(0))), to - from]),
    [[3, 7, at(2100), 5900]],
  )
  assert.deepEqual(other?.gaps, [])
})

test('only an attempt in a gap is missing', () => {
  const stage = 'AFTER_RESOURCES' as const
  const missing = (choice: object) => missingAttempt(answer, choice)
  assert.deepEqual(missing({ stage, plugin: 'hooks', attempt: 5 }), { stage, pluginId: 'hooks', attempt: 5 })
  assert.deepEqual(missing({ plugin: 'hooks', attempt: 3 }), { stage, pluginId: 'hooks', attempt: 3 })
  for (const choice of [
    {},
    { attempt: 5 },
    { stage, plugin: 'hooks' },
    { stage, plugin: 'hooks', attempt: 2 },
    { stage, plugin: 'hooks', attempt: 0 },
    { stage, plugin: 'hooks', attempt: 10 },
    { stage, plugin: 'other', attempt: 5 },
    { stage, plugin: 'nobody', attempt: 5 },
    { stage: 'BEFORE_RESOURCES', plugin: 'hooks', attempt: 5 },
  ])
    assert.equal(missing(choice), null, JSON.stringify(choice))
})

test('loaded attempts divide a gap, and never replace newer ones', () => {
  const name = { stage: 'AFTER_RESOURCES', pluginId: 'hooks', attempt: 5 } as const
  const older = { ...attempt({ attempt: 8 }), durationMs: 1 }
  const whole = withAttempts(answer, name, [...made([4, 5]), older])
  const [hooks, other] = timelineOf(whole).after.rows
  assert.deepEqual(
    hooks?.bars.map((bar) => bar.attempt.attempt),
    [1, 2, 4, 5, 8, 9],
  )
  assert.deepEqual(
    hooks?.gaps.map(({ first, last }) => [first, last]),
    [
      [3, 3],
      [6, 7],
    ],
  )
  assert.equal(hooks?.bars[4]?.attempt.durationMs, 100)
  assert.equal(other?.bars.length, 1)
})
