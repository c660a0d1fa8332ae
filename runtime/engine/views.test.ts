import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { PLATFORM_MESSAGES } from '#contract/protocol/platform-messages.ts'
import { OPERATION_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { SITUATIONS } from '../model/situations.ts'
import { nextStepOf, situationOf } from './views.ts'

const failure = (parameters?: Failure['parameters'], retryable = true): Failure => ({
  errorCode: 'PLUGIN_TIMEOUT',
  message: 'text',
  retryable,
  ...(parameters !== undefined && { parameters }),
})
const stepOf = (given: Failure) => {
  const { actor, action } = situationOf({ state: 'FAILED', failure: given })
  return `${actor} ${action}`
}

suite('the next step', () => {
  test('docs/runtime-api.md prints the table of the function', async () => {
    const docs = await readFile(new URL('../../docs/runtime-api.md', import.meta.url), 'utf8')
    const section = docs.split('## Next step')[1]?.split('\n## ')[0] ?? ''
    const printed = section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .slice(1, 6)
          .map((cell) => cell.trim()),
      )
    assert.deepEqual(
      printed,
      SITUATIONS.map(({ title, states, actor, action, retryHelps }) => [
        title,
        states.join(', '),
        actor,
        action,
        retryHelps ?? '',
      ]),
    )
  })

  test('exists for every state, with and without a failure of any reason', () => {
    for (const state of OPERATION_STATES) {
      assert.ok(situationOf({ state, failure: null }))
      for (const reason of Object.keys(PLATFORM_MESSAGES))
        assert.ok(situationOf({ state, failure: failure({ reason }) }))
    }
  })

  test('follows the reason of the failure, and not the spelling of its code', () => {
    assert.equal(stepOf(failure({ reason: 'callTimeout', seconds: 30 })), 'PLUGIN_OWNER CHECK_PLUGIN')
    // the same code from a plugin
    assert.equal(stepOf(failure(undefined, false)), 'PLUGIN_OWNER FIX_CAUSE')
    assert.equal(stepOf(failure(undefined, true)), 'PLUGIN_OWNER FIX_CAUSE')
    assert.equal(
      stepOf(failure({ reason: 'callFailedSilently', errorCode: 'X' }, false)),
      'PLUGIN_OWNER FIX_CAUSE',
    )
  })

  test('depends on the HTTP status', () => {
    const status = (value: number) => stepOf(failure({ reason: 'callHttpStatus', status: value }))
    assert.equal(status(401), 'PLUGIN_OWNER FIX_AUTHENTICATION')
    assert.equal(status(404), 'ADMINISTRATOR FIX_ENDPOINT')
    assert.equal(status(500), 'PLUGIN_OWNER CHECK_PLUGIN')
    assert.equal(status(503), 'PLUGIN_OWNER CHECK_PLUGIN')
    // nobody has to do anything but wait
    const retryFrom = '2026-01-31T08:00:00.000Z'
    const busy = failure({ reason: 'callHttpStatus', status: 503 })
    assert.equal(stepOf({ ...busy, retryFrom }), 'SUPPORT RETRY')
  })

  test('is not to send the same request again where it gets the same response', () => {
    const helps = (parameters: Failure['parameters']) =>
      situationOf({ state: 'FAILED', failure: failure(parameters) }).retryHelps
    for (const status of [204, 304, 400, 407, 413, 415, 422, 451, 501])
      assert.equal(helps({ reason: 'callHttpStatus', status }), 'AFTER_CHANGE', `${status}`)
    for (const status of [408, 409, 423, 500, 502, 503, 520])
      assert.equal(helps({ reason: 'callHttpStatus', status }), 'YES', `${status}`)
    for (const reason of [
      'callNotHttp',
      'callTooLarge',
      'callEncoded',
      'callWebPage',
      'callContinue',
      'callUpgrade',
    ])
      assert.equal(helps({ reason }), 'AFTER_CHANGE', reason)
    for (const reason of ['callTimeout', 'callNotJson', 'callCut'])
      assert.equal(helps({ reason }), 'YES', reason)
  })

  test('is to remove the cause, also if a person stopped the retries', () => {
    const stopped = { by: { id: 'sam', name: 'Sam' }, reason: 'why' }
    assert.equal(stepOf({ ...failure(), stopped }), 'PLUGIN_OWNER FIX_CAUSE')
    for (const { refusals = [], actor, action, retryHelps } of SITUATIONS)
      for (const rule of refusals) {
        const refusedHere = { at: '2026-01-31T08:00:00.000Z', endpoint: 'RESOLVE', rule, code: 'X' } as const
        const situation = situationOf({ state: 'FAILED', failure: { ...failure(), stopped, refusedHere } })
        assert.deepEqual(
          [situation.actor, situation.action, situation.retryHelps],
          [actor, action, retryHelps],
          rule,
        )
        assert.equal(retryHelps, 'AFTER_CHANGE')
      }
  })

  test('is counted from the start of work while it continues, and from the end afterwards', () => {
    const times = {
      created_at: 'created',
      started_at: 'started',
      run_started_at: null,
      finished_at: 'finished',
    }
    assert.equal(nextStepOf({ state: 'WAITING', failure: null, ...times }).since, 'started')
    assert.equal(
      nextStepOf({ state: 'PENDING', failure: null, ...times, finished_at: null }).since,
      'created',
    )
    assert.equal(nextStepOf({ state: 'FAILED', failure: failure(), ...times }).since, 'finished')
  })
})
