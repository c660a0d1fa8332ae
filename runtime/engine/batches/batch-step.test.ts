import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchStep } from './batch-step.ts'
import type { BatchProgress } from '../../model/batch-progress.ts'

const batch = (changed: Partial<BatchProgress> = {}): BatchProgress => ({
  state: 'RUNNING',
  first: null,
  isReleased: false,
  concurrency: 2,
  stopAfterFailures: null,
  hasGrants: true,
  pending: 3,
  running: 0,
  begun: 0,
  failures: 0,
  next: null,
  ...changed,
})

describe('the next step of a batch', () => {
  it('starts items up to its concurrency', () => {
    assert.deepEqual(batchStep(batch({ running: 1 })), { kind: 'start' })
    assert.deepEqual(batchStep(batch({ running: 2 })), { kind: 'wait' })
  })
  it('pauses after the first items have their results, until it is released', () => {
    assert.deepEqual(batchStep(batch({ first: 2, begun: 1 })), { kind: 'start' })
    assert.deepEqual(batchStep(batch({ first: 2, begun: 2, running: 1 })), { kind: 'wait' })
    assert.deepEqual(batchStep(batch({ first: 2, begun: 2 })), { kind: 'pause', because: 'FIRST' })
    assert.deepEqual(batchStep(batch({ first: 2, begun: 2, isReleased: true })), { kind: 'start' })
  })
  it('stops after failures, also while others run', () => {
    const failed = { stopAfterFailures: 2, failures: 2, running: 1 }
    assert.deepEqual(batchStep(batch(failed)), { kind: 'stop', because: 'FAILURES' })
    assert.deepEqual(batchStep(batch({ ...failed, failures: 1 })), { kind: 'start' })
  })
  it('pauses when the grants have expired', () => {
    assert.deepEqual(batchStep(batch({ hasGrants: false })), { kind: 'pause', because: 'GRANTS_EXPIRED' })
  })
  it('starts no wave before the last result of the wave before, and holds it until its conditions are met', () => {
    const next = {
      waves: { soakSeconds: 60, maxFailures: 0 },
      wave: 2,
      isReleased: false,
      running: 0,
      items: 1,
      failures: 0,
      soaked: 30,
      plugins: [],
    }
    assert.deepEqual(batchStep(batch({ next: { ...next, running: 1, soaked: 60 }, running: 1 })), {
      kind: 'wait',
    })
    assert.deepEqual(batchStep(batch({ next })), { kind: 'hold', wave: 2, because: ['SOAK'] })
    assert.deepEqual(batchStep(batch({ next: { ...next, soaked: 60 } })), { kind: 'start' })
    const failed = batch({ next: { ...next, soaked: 60, failures: 1 } })
    assert.deepEqual(batchStep(failed), { kind: 'hold', wave: 2, because: ['FAILURES'] })
    assert.deepEqual(batchStep(batch({ next: { ...next, isReleased: true } })), { kind: 'start' })
    // what was released still waits for results
    assert.deepEqual(batchStep(batch({ next: { ...next, isReleased: true, running: 1 } })), { kind: 'wait' })
    // so that nothing is examined for ever
    const expired = batch({ next: { ...next, failures: 1 }, hasGrants: false })
    assert.deepEqual(batchStep(expired), { kind: 'pause', because: 'GRANTS_EXPIRED' })
  })
  it('starts nothing while paused or stopped, and finishes when nothing is left', () => {
    for (const state of ['PAUSED', 'STOPPED'] as const)
      assert.deepEqual(batchStep(batch({ state })), { kind: 'wait' })
    for (const state of ['RUNNING', 'STOPPED'] as const) {
      assert.deepEqual(batchStep(batch({ state, pending: 0, running: 1 })), { kind: 'wait' })
      assert.deepEqual(batchStep(batch({ state, pending: 0 })), { kind: 'finish' })
    }
  })
})
