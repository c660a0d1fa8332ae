import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeRequestDetail } from './change-requests.ts'

test('what a person may do is read from an earlier version and from a later one', () => {
  const { may } = ChangeRequestDetail.shape
  const earlier = { edit: true, approve: false, apply: false, override: false }
  assert.deepEqual(may.parse(earlier), earlier)
  assert.deepEqual(may.parse({ ...earlier, reject: true, merge: true }), { ...earlier, reject: true })
})
