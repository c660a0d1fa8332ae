import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as contract from '#contract/runtime-api/batches.ts'
import {
  BATCH_CONCURRENCY_MAX,
  BATCH_TARGETS_MAX,
  invalidLimits,
  limitsIn,
  NO_LIMITS,
} from './batch-limits.ts'

it('are those of the contract', () => {
  assert.equal(BATCH_TARGETS_MAX, contract.BATCH_TARGETS_MAX)
  assert.equal(BATCH_CONCURRENCY_MAX, contract.BATCH_CONCURRENCY_MAX)
})

it('are sent if they are not empty', () => {
  assert.deepEqual(limitsIn(NO_LIMITS), { concurrency: 5 })
  assert.deepEqual(limitsIn({ first: ' 2 ', concurrency: '50', failures: '1000' }), {
    concurrency: 50,
    first: 2,
    stopAfterFailures: 1000,
  })
})

it('are invalid unless they are empty or whole numbers that the contract allows', () => {
  const valid = { first: '1', concurrency: '', failures: ' 3 ' }
  assert.deepEqual([...invalidLimits(valid)], [])
  for (const failures of ['0', '5%', '1.5', '1e2', '1O', '-1', '0x10', '1001'])
    assert.deepEqual([...invalidLimits({ ...valid, failures })], ['failures'], failures)
  assert.deepEqual(
    [...invalidLimits({ first: '1O', concurrency: '90', failures: '' })],
    ['first', 'concurrency'],
  )
})
