import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from '#contract/console-api/shapes.ts'
import { timePartsOf, partTotals, partsOfCall } from './time-spent.ts'
import { at, attempt, call, START } from './testing.ts'
import { barsOf } from './timeline.ts'

const bars = (...attempts: Partial<Attempt>[]) =>
  barsOf(
    'BEFORE_RESOURCES',
    call(
      'hooks',
      1,
      attempts.map((changed, index) => attempt({ attempt: index + 1, ...changed })),
    ),
  )
const parts = (...attempts: Partial<Attempt>[]) =>
  partsOfCall(bars(...attempts)).map(({ part, from, to }) => [part, from - START, to - START])
const timing = { sentMs: 2, connectedMs: 5, answeredMs: 85, endedMs: 90 }

test('the parts of an attempt follow each other and are its whole time', () => {
  assert.deepEqual(parts({ dueAt: at(-40), timing }), [
    ['worker', -40, 0],
    ['worker', 0, 2],
    ['network', 2, 5],
    ['plugin', 5, 90],
    ['recording', 90, 100],
  ])
  const [bar] = bars({ dueAt: at(-40), timing })
  assert.ok(bar)
  assert.deepEqual(partTotals(timePartsOf(bar, undefined)), [
    { part: 'worker', ms: 42 },
    { part: 'network', ms: 3 },
    { part: 'plugin', ms: 85 },
    { part: 'recording', ms: 10 },
  ])
})

test('a wait before a retry is a back-off until it was due, then a wait for a worker', () => {
  const [first, second] = bars({ timing }, { startedAt: at(1000), dueAt: at(900), timing })
  assert.ok(first && second)
  assert.deepEqual(
    timePartsOf(second, first)
      .slice(0, 2)
      .map(({ part, from, to }) => [part, to - from]),
    [
      ['backOff', 800],
      ['worker', 100],
    ],
  )
  // the pause before another run was made by a person, and that before an attempt that is not loaded is not known
  const again = { ...second, attempt: { ...second.attempt, run: 2 } }
  for (const [bar, before] of [
    [again, first],
    [second, undefined],
  ] as const)
    assert.deepEqual(timePartsOf(bar, before)[0], { part: 'worker', from: START + 900, to: START + 1000 })
})

test('time without a response is the plugin’s once there is a connection, else the network’s', () => {
  const silent = { sentMs: 1, connectedMs: 3, answeredMs: null, endedMs: 95 }
  assert.deepEqual(parts({ timing: silent }), [
    ['worker', 0, 1],
    ['network', 1, 3],
    ['plugin', 3, 95],
    ['recording', 95, 100],
  ])
  assert.deepEqual(parts({ timing: { ...silent, connectedMs: null } }), [
    ['worker', 0, 1],
    ['network', 1, 95],
    ['recording', 95, 100],
  ])
})

test('what was not measured is not known, and never guessed', () => {
  const old = { dueAt: null, timing: null }
  assert.deepEqual(parts(old, { ...old, startedAt: at(500) }), [
    ['unknown', 0, 100],
    ['unknown', 100, 500],
    ['unknown', 500, 600],
  ])
  // not even the end of an interrupted attempt is known
  assert.deepEqual(parts({ ...old, durationMs: null, outcome: null, httpStatus: null }), [])
  assert.deepEqual(parts({ timing: { ...timing, connectedMs: null } }), [['unknown', 0, 100]])
})

test('a part is never longer than what was recorded', () => {
  assert.deepEqual(parts({ timing: { sentMs: 0, connectedMs: 1, answeredMs: 150, endedMs: 160 } }), [
    ['network', 0, 1],
    ['plugin', 1, 100],
  ])
})
