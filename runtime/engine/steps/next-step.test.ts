import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import { nextStep } from './next-step.ts'
import type { Step } from './next-step.ts'
import type { CallProgress } from '../../model/call.ts'

const now = '2026-01-01T00:00:10.000Z'
const soon = '2026-01-01T00:00:11.000Z'
const later = '2026-01-01T00:00:12.000Z'
const failure: Failure = { errorCode: 'BROKEN', message: 'It broke.', retryable: false }

const call = (pluginId: string, order: number, more: Partial<CallProgress> = {}): CallProgress => ({
  stage: 'BEFORE_RESOURCES',
  pluginId,
  order,
  endedWell: false,
  failed: false,
  failure: null,
  nextAttemptAt: null,
  ...more,
})
const done = { endedWell: true }
const failed = { failed: true, failure }
const step = (
  calls: CallProgress[],
  { type = 'CONFIGURE', phase = 'BEFORE_RESOURCES' }: { type?: OperationType; phase?: Phase } = {},
): Step => nextStep({ operationType: type, phase, calls, now })
const calls = (...pluginIds: string[]): Step => ({ kind: 'call', stage: 'BEFORE_RESOURCES', pluginIds })

suite('the next step of an operation', () => {
  test('without plugins the operation continues immediately', () => {
    assert.deepEqual(step([]), { kind: 'apply-resources' })
    assert.deepEqual(step([], { phase: 'RESOURCES' }), { kind: 'apply-resources' })
    assert.deepEqual(step([], { phase: 'AFTER_RESOURCES' }), { kind: 'succeed' })
    assert.throws(() => step([], { phase: 'DONE' }))
  })

  test('plugins are called in ascending order, descending in a DETACH', () => {
    const both = [call('b', 20), call('a', 3)]
    assert.deepEqual(step(both), calls('a'))
    assert.deepEqual(step(both, { type: 'DETACH' }), calls('b'))
    assert.deepEqual(step([call('b', 20), call('a', 3, done)]), calls('b'))
    assert.deepEqual(step([call('b', 10), call('a', 9), call('c', -1)]), calls('c'))
  })

  test('equal orders are called together, and the next order waits for all of them', () => {
    assert.deepEqual(step([call('b', 1), call('a', 1), call('c', 2)]), calls('a', 'b'))
    assert.deepEqual(step([call('b', 1), call('a', 1, done), call('c', 2)]), calls('b'))
    assert.deepEqual(step([call('b', 1, done), call('a', 1, done), call('c', 2)]), calls('c'))
  })

  test('a waiting call is repeated when it is due', () => {
    assert.deepEqual(step([call('a', 1, { nextAttemptAt: soon })]), { kind: 'wait', until: soon })
    assert.deepEqual(step([call('a', 1, { nextAttemptAt: now })]), calls('a'))
    const together = [call('a', 1, { nextAttemptAt: later }), call('b', 1, { nextAttemptAt: soon })]
    assert.deepEqual(step(together), { kind: 'wait', until: soon })
    assert.deepEqual(step([...together, call('c', 1)]), calls('c'))
    assert.deepEqual(step([call('a', 1, { nextAttemptAt: soon }), call('c', 2)]), {
      kind: 'wait',
      until: soon,
    })
  })

  test('after a permanent failure no call is made', () => {
    assert.deepEqual(step([call('a', 1, failed), call('b', 2)]), { kind: 'fail', pluginId: 'a', failure })
    assert.deepEqual(step([call('a', 1, failed), call('b', 1, { nextAttemptAt: now })]), {
      kind: 'fail',
      pluginId: 'a',
      failure,
    })
    assert.deepEqual(step([call('a', 1, done), call('b', 2, failed)]), {
      kind: 'fail',
      pluginId: 'b',
      failure,
    })
  })

  test('a failed call without a failure is still reported', () => {
    const failing = step([call('a', 1, { failed: true })])
    assert.equal(failing.kind === 'fail' ? failing.failure.errorCode : failing.kind, 'PLUGIN_RESULT_UNKNOWN')
  })

  test('only the calls of the stage count', () => {
    const after = call('a', 1, { stage: 'AFTER_RESOURCES' })
    assert.deepEqual(step([call('a', 1, done), after]), { kind: 'apply-resources' })
    assert.deepEqual(step([call('a', 1, done), after], { phase: 'AFTER_RESOURCES' }), {
      kind: 'call',
      stage: 'AFTER_RESOURCES',
      pluginIds: ['a'],
    })
  })

  test('every operation ends, in order, and no successful call is made twice, whatever the plugins answer', () => {
    const plugin = fc.record({
      order: fc.integer({ min: -2, max: 2 }),
      answers: fc.array(fc.nat(3), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(
        fc.array(plugin, { maxLength: 5 }),
        fc.constantFrom(...OPERATION_TYPES),
        (plugins, type) => {
          const stages: Stage[] = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
          const open = stages.flatMap((stage) =>
            plugins.map(({ order }, index) => call(`p${index}`, order, { stage })),
          )
          let phase: Phase = 'BEFORE_RESOURCES'
          const made: string[] = []
          for (let round = 0; round < 100; round++) {
            const next = nextStep({ operationType: type, phase, calls: open, now: later })
            if (next.kind === 'fail') return open.some((one) => one.failed)
            if (next.kind === 'succeed')
              return phase === 'AFTER_RESOURCES' && open.every((one) => one.endedWell)
            if (next.kind === 'apply-resources') phase = 'AFTER_RESOURCES'
            if (next.kind !== 'call') continue
            assert.equal(next.stage, phase)
            for (const pluginId of next.pluginIds) {
              const one = open.find((other) => other.stage === next.stage && other.pluginId === pluginId)
              assert.ok(one !== undefined && !one.endedWell)
              const tries = made.filter((name) => name === `${next.stage} ${pluginId}`).length
              made.push(`${next.stage} ${pluginId}`)
              const answer = plugins[Number(pluginId.slice(1))]?.answers[tries]
              if (answer === 1) one.failed = true
              else if (answer === 2) one.nextAttemptAt = soon
              else one.endedWell = true
            }
          }
          return false
        },
      ),
    )
  })
})
