import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, attempt, call, failure, operation, refusal, START, timeout } from '../calls/testing.ts'
import { timelineOf } from '../calls/timeline.ts'
import { historyOf } from './history-entries.ts'

const person = { id: 'u2', name: 'Sam' }
const detail = operation(
  {
    state: 'TAKEN_OVER',
    phase: 'AFTER_RESOURCES',
    run: 2,
    startedAt: at(30),
    finishedAt: at(9_000),
    failure: failure('MAILBOX_LOCKED', false),
    retries: [
      {
        run: 2,
        startedAt: at(8_000),
        startedBy: person,
        reason: 'Try',
        failedAt: at(5_000),
        failure: failure('BUSY', true),
      },
    ],
    takeover: { at: at(9_500), by: person, reason: 'Over' },
    notes: [{ number: 1, author: person, at: at(8_500), text: 'Looking' }],
  },
  {
    before: [call('tenants', 10, [attempt({ startedAt: at(30) })])],
    after: [
      call('hooks', 20, [
        timeout({ startedAt: at(140), durationMs: 0 }),
        timeout({ attempt: 2, startedAt: at(1_000) }),
        timeout({ attempt: 3, startedAt: at(3_000), late: true }),
        timeout({ attempt: 9, startedAt: at(4_000), durationMs: null, httpStatus: null }),
        refusal({ attempt: 10, run: 2, startedAt: at(8_100) }),
      ]),
    ],
  },
)
const history = historyOf(detail, timelineOf(detail))

test('the history has every request, response and event in the order of their times', () => {
  const text = history.map((entry) => {
    const name = 'bar' in entry ? ` ${entry.bar.attempt.attempt}` : 'run' in entry ? ` ${entry.run}` : ''
    return `${entry.at - START} ${entry.kind}${name}`
  })
  assert.deepEqual(text, [
    '0 requested',
    '30 started',
    '30 request 1',
    '130 response 1',
    '130 resources',
    '140 request 1',
    '140 response 1',
    '1000 request 2',
    '1100 response 2',
    '3000 request 3',
    '3100 response 3',
    '3100 gap',
    '4000 request 9',
    '5000 failed 1',
    '8000 retried 2',
    '8100 request 10',
    '8200 response 10',
    '8500 note',
    '9000 failed 2',
    '9500 takenOver',
  ])
  assert.equal(new Set(history.map(({ id }) => id)).size, history.length)
})

test('the next retry is part of the history while the operation waits', () => {
  const waiting = { ...detail, state: 'WAITING' as const, finishedAt: null, nextAttemptAt: at(20_000) }
  const last = historyOf(waiting, timelineOf(waiting)).at(-1)
  assert.deepEqual(last, { id: 'next', at: START + 20_000, kind: 'nextAttempt' })
})
