import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import { attempt, failure, refusal, timeout } from './testing.ts'
import { isSuccess, isDefiniteFailure, isUncertain, verdictOf, type Verdict } from './verdict.ts'

const because = (reason: string, parameters: MessageParameters = {}, httpStatus: number | null = null) => ({
  outcome: null,
  httpStatus,
  response: null,
  failure: { ...failure('PLUGIN_RESULT_UNKNOWN', true), parameters: { reason, ...parameters } },
})

test('an outcome is its own verdict', () => {
  assert.equal(verdictOf(attempt({ outcome: 'VERIFIED' })), 'VERIFIED')
  assert.equal(
    verdictOf(attempt({ outcome: 'UNKNOWN', failure: failure('PLUGIN_RESULT_UNKNOWN', true) })),
    'UNKNOWN',
  )
})

test('the response determines the verdict if there is no outcome', () => {
  const cases: [Verdict, Parameters<typeof attempt>[0]][] = [
    ['IN_FLIGHT', { outcome: null, durationMs: null, httpStatus: null, response: null }],
    [
      'INTERRUPTED',
      {
        outcome: null,
        durationMs: null,
        httpStatus: null,
        response: null,
        failure: failure('PLUGIN_RESULT_UNKNOWN', true),
      },
    ],
    ['NO_ANSWER', timeout()],
    [
      'UNREADABLE',
      {
        outcome: null,
        httpStatus: 502,
        response: { size: 3, contentType: null },
        failure: failure('PLUGIN_RESULT_UNKNOWN', true),
      },
    ],
    [
      'REPEAT',
      {
        outcome: null,
        response: { errorCode: 'BUSY', data: {} },
        failure: failure('BUSY', true),
      },
    ],
    ['NOT_DELIVERED', because('callRefused')],
    ['REJECTED', because('callHttpStatus', { status: 403 }, 403)],
    ['UNREADABLE', because('callHttpStatus', { status: 500 }, 500)],
    ['UNREADABLE', because('callTooLarge')],
    ['UNREADABLE', because('callContinue')],
    ['UNREADABLE', because('callEncoded')],
    ['NO_ANSWER', because('callReset')],
    ['REFUSED', refusal()],
    ['INVALID', { outcome: null, response: { size: 9 }, failure: failure('PLUGIN_RESPONSE_INVALID', false) }],
  ]
  for (const [verdict, changed] of cases) assert.equal(verdictOf(attempt(changed)), verdict)
})

test('a plugin may use an error code of the runtime: the envelope decides', () => {
  const answered = attempt({
    outcome: null,
    response: { errorCode: 'PLUGIN_TIMEOUT', data: {} },
    failure: failure('PLUGIN_TIMEOUT', true),
  })
  assert.equal(verdictOf(answered), 'REPEAT')
})

test('an uncertain verdict is never a success or a definite failure', () => {
  for (const verdict of ['UNKNOWN', 'NO_ANSWER', 'UNREADABLE', 'INTERRUPTED', 'REPEAT'] as const) {
    assert.ok(isUncertain(verdict) && !isSuccess(verdict) && !isDefiniteFailure(verdict), verdict)
  }
  assert.ok(!isUncertain('IN_FLIGHT'))
  for (const verdict of ['NOT_DELIVERED', 'REJECTED'] as const) {
    assert.ok(!isUncertain(verdict) && !isSuccess(verdict) && !isDefiniteFailure(verdict), verdict)
  }
})
