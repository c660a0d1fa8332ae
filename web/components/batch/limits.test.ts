import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as contract from '#contract/runtime-api/batches.ts'
import { BATCH_CONCURRENCY_MAX, BATCH_TARGETS_MAX } from './limits.ts'
import { limitsIn, NO_LIMITS } from './limits.ts'

it('are those of the contract', () => {
  assert.equal(BATCH_TARGETS_MAX, contract.BATCH_TARGETS_MAX)
  assert.equal(BATCH_CONCURRENCY_MAX, contract.BATCH_CONCURRENCY_MAX)
})

it('are sent if they are whole numbers, within what the contract allows', () => {
  assert.deepEqual(limitsIn(NO_LIMITS), { concurrency: 5 })
  assert.deepEqual(limitsIn({ first: '2', concurrency: '90', failures: 'x' }), { concurrency: 50, first: 2 })
})
