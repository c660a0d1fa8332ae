import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempt, refusal, timeout } from '../../calls/testing.ts'
import { attemptDifferences } from './attempt-differences.ts'

const NOTHING = { verdict: null, httpStatus: null, durationMs: null, failure: null, response: [], more: 0 }

test('attempts that differ only in number, run and time have no differences', () => {
  const later = refusal({ attempt: 2, run: 2, startedAt: '2026-11-21T10:00:00.000Z' })
  assert.deepEqual(attemptDifferences(refusal(), later), NOTHING)
})

test('result, status, duration, failure and response are compared', () => {
  const found = attemptDifferences(timeout({ durationMs: 30_000 }), refusal())
  assert.deepEqual(found.verdict, { before: 'NO_ANSWER', after: 'REFUSED' })
  assert.deepEqual(found.httpStatus, { before: null, after: 200 })
  assert.deepEqual(found.durationMs, { before: 30_000, after: 100 })
  assert.equal(found.failure?.before?.errorCode, 'PLUGIN_TIMEOUT')
  assert.deepEqual(found.response, [
    { path: '', before: null, after: { errorCode: 'MAILBOX_LOCKED', data: null } },
  ])
})

test('responses are compared part by part', () => {
  const one = attempt({ response: { data: { writes: [1, 2], note: 'a' }, gone: true } })
  const other = attempt({ response: { data: { writes: [1, 3, { x: 1 }], note: 'a' } } })
  assert.deepEqual(attemptDifferences(one, other).response, [
    { path: 'data.writes[1]', before: 2, after: 3 },
    { path: 'data.writes[2]', before: undefined, after: { x: 1 } },
    { path: 'gone', before: true, after: undefined },
  ])
  const many = (value: number) => attempt({ response: Array.from({ length: 150 }, () => value) })
  const { response, more } = attemptDifferences(many(1), many(2))
  assert.deepEqual([response.length, more], [100, 50])
})
