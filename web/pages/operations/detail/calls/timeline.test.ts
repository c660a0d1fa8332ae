import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedStage } from '#contract/console-api/shapes.ts'
import { plannedPlugins } from '../recovery/detach-preview.ts'
import { at, attempt, call, failure, operation, refusal, START, timeout } from './testing.ts'
import { chosenBar, failurePointOf, nextCalls, timelineOf } from './timeline.ts'

const failed = operation(
  {
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    run: 2,
    failure: failure('MAILBOX_LOCKED', false),
    finishedAt: at(9000),
  },
  {
    before: [call('tenants', 10, [attempt()])],
    after: [
      call('tenants', 10, [attempt({ outcome: 'VERIFIED', startedAt: at(500) })]),
      call('hooks', 20, [
        refusal({ startedAt: at(700) }),
        refusal({ attempt: 2, run: 2, startedAt: at(8000) }),
      ]),
      call('later', 30, []),
    ],
  },
)

test('a failed operation names its stage, plugin and attempt', () => {
  const point = failurePointOf(timelineOf(failed), failed)
  assert.equal(point?.stage, 'AFTER_RESOURCES')
  assert.equal(point?.pluginId, 'hooks')
  assert.equal(point?.bar?.attempt.attempt, 2)
})

test('a plugin that could not be called has no attempt to link to', () => {
  const gone = operation(
    {
      state: 'FAILED',
      phase: 'BEFORE_RESOURCES',
      failure: failure('PLUGIN_NOT_REGISTERED', true, 'tenants'),
    },
    { before: [call('tenants', 10, [])] },
  )
  assert.deepEqual(failurePointOf(timelineOf(gone), gone), {
    stage: 'BEFORE_RESOURCES',
    pluginId: 'tenants',
    bar: null,
  })
})

test('selects the attempt in the address, else the failed one, else the last one', () => {
  const timeline = timelineOf(failed)
  assert.equal(chosenBar(timeline, failed, {})?.attempt.attempt, 2)
  const named = chosenBar(timeline, failed, { stage: 'AFTER_RESOURCES', plugin: 'hooks', attempt: 1 })
  assert.equal(named?.attempt.attempt, 1)
  const other = chosenBar(timeline, failed, { stage: 'BEFORE_RESOURCES', plugin: 'tenants', attempt: 77 })
  assert.equal(other?.pluginId, 'tenants')
  const well = operation(
    {},
    { before: [call('a', 1, [attempt()]), call('b', 2, [attempt({ startedAt: at(5) })])] },
  )
  assert.equal(chosenBar(timelineOf(well), well, {})?.pluginId, 'b')
})

test('a retry starts with the unsuccessful calls of the first open order', () => {
  assert.deepEqual(
    nextCalls(timelineOf(failed), failed).map(({ pluginId }) => pluginId),
    ['hooks'],
  )
})

test('only the calls of the waiting stage are retried automatically', () => {
  const waiting = operation(
    { state: 'WAITING', phase: 'BEFORE_RESOURCES', nextAttemptAt: at(5000), finishedAt: null },
    {
      before: [call('done', 10, [attempt()]), call('hooks', 10, [timeout()])],
      after: [call('hooks', 20, [])],
    },
  )
  const { before, after } = timelineOf(waiting)
  assert.deepEqual(
    [...before.rows, ...after.rows].map(({ retryAt }) => retryAt),
    [null, START + 5000, null],
  )
  assert.deepEqual(
    before.rows.map(({ isParallel }) => isParallel),
    [true, true],
  )
  assert.equal(before.rows[1]?.result, 'NO_ANSWER')
})

test('the resources are placed between the last call before and the first call after', () => {
  const { between } = timelineOf(failed).resources
  assert.deepEqual(between, { from: START + 100, to: START + 500 })
})

test('a late response does not change the result of a call', () => {
  const answered = call('a', 1, [refusal(), attempt({ attempt: 2, late: true })])
  const late = operation({}, { before: [{ ...answered, outcome: null }] })
  assert.equal(timelineOf(late).before.rows[0]?.result, 'REFUSED')
})

test('a takeover lists every plugin of its plan once, with its stages and its last known result', () => {
  const planned = (pluginId: string, order: number): PlannedStage['calls'][number] => ({
    pluginId,
    order,
    availability: 'READY',
    reads: [],
    writes: [],
  })
  const stages: PlannedStage[] = [
    { stage: 'BEFORE_RESOURCES', calls: [planned('later', 30), planned('hooks', 20), planned('new', 15)] },
    { stage: 'AFTER_RESOURCES', calls: [planned('hooks', 20), planned('tenants', 10)] },
  ]
  const shown = plannedPlugins(stages, timelineOf(failed))
  assert.deepEqual(
    shown.map((plugin) => [plugin.pluginId, plugin.order, plugin.stages.length, plugin.last]),
    [
      ['later', 30, 1, 'NOT_CALLED'],
      ['hooks', 20, 2, 'REFUSED'],
      ['new', 15, 1, 'NOT_CALLED'],
      ['tenants', 10, 1, 'VERIFIED'],
    ],
  )
})

test('the resources have a mark even if the calls around them overlap in time', () => {
  const detach = operation(
    { operationType: 'DETACH' },
    {
      before: [call('hooks', 20, [attempt({ durationMs: 100 })])],
      // recorded in the statement that ended the call before
      after: [call('hooks', 20, [attempt({ startedAt: at(99) })])],
    },
  )
  const { between } = timelineOf(detach).resources
  assert.deepEqual(between, { from: Date.parse(at(99)), to: Date.parse(at(100)) })
})
