import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, lostAnswer } from './client.ts'
import { refetchAfterOutage } from './query.ts'

test('a read that failed is sent again only if the failure ends without the person', () => {
  const intervalOf = (code: string) => refetchAfterOutage(new ApiError({ ...lostAnswer, code }))
  assert.deepEqual(
    ['NETWORK_LOST', 'UPSTREAM_TIMEOUT', 'RATE_LIMITED', 'NOT_FOUND', 'TOO_MANY_COMPARISONS'].map(intervalOf),
    [10_000, 10_000, 10_000, false, false],
  )
})
