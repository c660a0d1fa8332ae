import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATION_STATES } from '../../../ui/states.ts'
import { retryExit, takeoverExit } from './exits.ts'

test('both ways out are open for FAILED alone, to whoever may', () => {
  for (const state of OPERATION_STATES) {
    assert.equal(retryExit({ state }, true).isOpen, state === 'FAILED', state)
    assert.equal(takeoverExit({ state }, true).isOpen, state === 'FAILED', state)
  }
})

test('a closed way says why: first the state, then the permission', () => {
  assert.deepEqual(retryExit({ state: 'FAILED' }, false), {
    isOpen: false,
    why: 'operations.action.retry.permission',
  })
  assert.deepEqual(takeoverExit({ state: 'RUNNING' }, false), {
    isOpen: false,
    why: 'operations.action.takeover.RUNNING',
  })
})
