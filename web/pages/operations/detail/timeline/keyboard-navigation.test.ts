import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, attempt, call, timeout } from '../calls/testing.ts'
import { barsOf } from '../calls/timeline.ts'
import { nextAttempt } from './keyboard-navigation.ts'

const first = barsOf('BEFORE_RESOURCES', call('a', 1, [attempt({ startedAt: at(0) })]))
const second = barsOf(
  'BEFORE_RESOURCES',
  call('b', 2, [timeout({ startedAt: at(10) }), attempt({ attempt: 2, startedAt: at(900) })]),
)
const rows = [first, [], second]
const step = (from: (typeof first)[number] | undefined, key: string) => {
  const to = nextAttempt(rows, from ?? null, key)
  return to && `${to.plugin}${to.attempt}`
}

test('arrow keys move along a row and between rows, skipping rows without attempts', () => {
  assert.equal(step(first[0], 'ArrowDown'), 'b1')
  assert.equal(step(second[0], 'ArrowRight'), 'b2')
  assert.equal(step(second[1], 'ArrowLeft'), 'b1')
  assert.equal(step(second[1], 'ArrowUp'), 'a1')
  assert.equal(step(second[0], 'End'), 'b2')
  assert.equal(step(second[1], 'Home'), 'b1')
})

test('at an end nothing is selected, and other keys are ignored', () => {
  assert.equal(step(first[0], 'ArrowUp'), undefined)
  assert.equal(step(second[1], 'ArrowRight'), undefined)
  assert.equal(step(first[0], 'Enter'), undefined)
})

test('an arrow key selects the first attempt if none is selected', () => {
  assert.equal(step(undefined, 'ArrowDown'), 'a1')
  assert.equal(step(undefined, 'Tab'), undefined)
})

test('the left and right arrows select attempts that are not loaded', () => {
  const bars = barsOf(
    'BEFORE_RESOURCES',
    call('c', 3, [timeout(), timeout({ attempt: 2 }), timeout({ attempt: 9 })]),
  )
  const choose = (at: number, key: string) => nextAttempt([bars], bars[at] ?? null, key)?.attempt
  assert.equal(choose(1, 'ArrowRight'), 3)
  assert.equal(choose(2, 'ArrowLeft'), 8)
  assert.equal(choose(2, 'ArrowRight'), undefined)
  assert.equal(choose(0, 'End'), 9)
})
