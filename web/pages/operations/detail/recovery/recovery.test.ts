import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATION_STATES } from '../../../../ui/states.ts'
import { recoveryAvailability } from './recovery.ts'

test('both actions are available only for FAILED, with the permission', () => {
  for (const state of OPERATION_STATES)
    for (const action of ['retry', 'takeover'] as const)
      assert.equal(recoveryAvailability(action, { state }, true).isAvailable, state === 'FAILED', state)
})

test('an unavailable action has a reason: first the state, then the permission', () => {
  assert.deepEqual(recoveryAvailability('retry', { state: 'FAILED' }, false), {
    isAvailable: false,
    reason: 'operations.action.retry.permission',
  })
  assert.deepEqual(recoveryAvailability('takeover', { state: 'RUNNING' }, false), {
    isAvailable: false,
    reason: 'operations.action.takeover.RUNNING',
  })
})
