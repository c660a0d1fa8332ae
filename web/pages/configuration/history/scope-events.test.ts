import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeMarksOf, targetOf, type ScopeEvent } from './scope-events.ts'

const scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }
const event = (at: number, lane: ScopeEvent['lane'] = 'saves'): ScopeEvent => ({
  id: `${lane} ${at}`,
  lane,
  at,
  text: 'Saved',
  person: 'Mira',
  to: { to: `/event/${at}` },
})

test('events that would cover each other are one mark, at the place of the first', () => {
  const marks = timeMarksOf([event(100), event(10), event(0), event(30), event(20)], (at) => at, 24)
  assert.deepEqual(
    marks.map(({ x, events }) => [x, events.map(({ at }) => at)]),
    [
      [0, [0, 10, 20]],
      [30, [30]],
      [100, [100]],
    ],
  )
})

test('a mark of one event leads to its page, one of several to the list of its lane at these times', () => {
  assert.deepEqual(targetOf({ x: 0, events: [event(5)] }, scope), { to: '/event/5' })
  const several = targetOf({ x: 0, events: [event(0), event(1000)] }, scope)
  assert.deepEqual(several.search, {
    tab: 'history',
    since: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:00:01.001Z',
  })
  const upgrades = targetOf({ x: 0, events: [event(0, 'operations'), event(9, 'operations')] }, scope)
  assert.equal(upgrades.to, '/operations')
})
