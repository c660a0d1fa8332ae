import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '#contract/protocol/languages.ts'
import type { Failure, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import { translator } from '../../../../i18n/testing.ts'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'
import { differencesIn } from '../failure/response-differences.ts'
import {
  actedIn,
  alsoFailed,
  effectOf,
  failedCallOf,
  impactOf,
  namedChanges,
  progressOf,
  repeatsOf,
  type CallName,
} from './progress.ts'
import { at, attempt, call, failure, operation, refusal, timeout } from './testing.ts'
import { timelineOf } from './timeline.ts'

const of = (reason: string, more: Record<string, number> = {}): Failure => ({
  ...failure('PLUGIN_RESULT_UNKNOWN', true),
  parameters: { reason, plugin: 'hooks', ...more },
})

test('the effect of a failed call is as certain as its attempts', () => {
  const sure = call('hooks', 20, [attempt()])
  const unsure = call('hooks', 20, [
    attempt({ outcome: 'UNKNOWN' }),
    attempt({ outcome: 'UNKNOWN' }),
    refusal(),
  ])
  assert.deepEqual(effectOf(of('callRefused'), sure), { kind: 'none' })
  assert.deepEqual(effectOf(of('callRefused'), unsure), { kind: 'earlier', attempts: 2 })
  assert.deepEqual(effectOf(of('callHttpStatus', { status: 401 }), sure), { kind: 'rejected' })
  assert.deepEqual(effectOf(of('callHttpStatus', { status: 500 }), sure), { kind: 'unknown' })
  assert.deepEqual(effectOf(of('callTimeout', { seconds: 30 }), sure), { kind: 'unknown' })
  assert.deepEqual(effectOf(of('callWriteNotAllowed'), sure), { kind: 'invalid' })
  assert.deepEqual(effectOf(of('callReportedFailed'), unsure), { kind: 'earlier', attempts: 2 })
  assert.deepEqual(effectOf(failure('PLUGIN_TIMEOUT', false), sure), { kind: 'failed' })
  // the worker had lost the operation when the plugin answered
  const late = call('hooks', 20, [attempt({ late: true }), refusal()])
  assert.deepEqual(effectOf(failure('MAILBOX_LOCKED', false), late), { kind: 'late' })
})

test('the progress counts what is done, and what was never reached', () => {
  const calls = {
    before: [call('tenants', 10, [attempt()]), call('hooks', 20, [refusal()])],
    after: [call('tenants', 10, []), call('hooks', 20, [])],
  }
  const stopped = operation(
    { state: 'FAILED', phase: 'BEFORE_RESOURCES', failure: failure('MAILBOX_LOCKED', false) },
    calls,
  )
  assert.deepEqual(progressOf(stopped, timelineOf(stopped)), {
    done: [{ pluginId: 'tenants', stage: 'BEFORE_RESOURCES' }],
    failed: [{ pluginId: 'hooks', stage: 'BEFORE_RESOURCES' }],
    unknown: [],
    resources: null,
    notReached: [
      { pluginId: 'tenants', stage: 'AFTER_RESOURCES' },
      { pluginId: 'hooks', stage: 'AFTER_RESOURCES' },
    ],
  })
  assert.equal(failedCallOf(stopped, timelineOf(stopped))?.pluginId, 'hooks')
  const later = { ...stopped, phase: 'AFTER_RESOURCES' as const }
  assert.equal(progressOf(later, timelineOf(later)).resources, 1)
})

const TIMED_OUT = { ...of('callTimeout', { seconds: 30 }), errorCode: 'PLUGIN_TIMEOUT' }
const stage = 'BEFORE_RESOURCES'

test('what nobody can know stays on the first screen when a parallel call fails definitely', () => {
  const calls = [
    call('alpha', 10, [timeout({ failure: TIMED_OUT })]),
    call('beta', 10, [refusal()]),
    call('gamma', 10, [timeout({ failure: of('callRefused') })]),
    call('delta', 10, [attempt({ outcome: 'UNKNOWN', failure: of('callReportedUnknown') })]),
    call('epsilon', 10, [timeout({ failure: TIMED_OUT }), attempt({ attempt: 2 })]),
    call('zeta', 10, [attempt({ outcome: 'FAILED', failure: of('callReportedFailed') })]),
    call('eta', 10, [attempt({ outcome: null, response: null, failure: of('callInvalid') })]),
    { ...call('theta', 10, [attempt({ late: true })]), outcome: null },
    call('iota', 10, []),
  ]
  const stopped = operation(
    { state: 'FAILED', phase: stage, failure: failure('MAILBOX_LOCKED', false, 'beta') },
    { before: calls },
  )
  const progress = progressOf(stopped, timelineOf(stopped))
  const names = (of: readonly CallName[]) => of.map(({ pluginId }) => pluginId)
  assert.deepEqual(names(progress.done), ['epsilon'])
  assert.deepEqual(names(progress.failed), ['beta', 'gamma', 'zeta'])
  assert.deepEqual(names(progress.unknown), ['alpha', 'delta', 'eta', 'theta'])
  assert.deepEqual(names(progress.notReached), ['iota'])
})

test('the parallel calls that failed too are told with what they failed with', () => {
  const calls = [call('beta', 10, [refusal()]), call('gamma', 10, [refusal()]), call('late', 20, [])]
  const stopped = operation(
    { state: 'FAILED', phase: stage, failure: failure('MAILBOX_LOCKED', false, 'beta') },
    { before: [...calls, call('epsilon', 10, [attempt()])] },
  )
  assert.deepEqual(alsoFailed(stopped, timelineOf(stopped)), [
    { pluginId: 'gamma', failure: refusal().failure, attempt: refusal() },
  ])
})

test('what the operation itself changes is told if the plugin names it', () => {
  const change = (property: string, value: string | null) => ({
    locator: 'staging/support-desk/MODULE/inbox',
    property,
    before: null,
    after: value === null ? null : { '@type': 'Data' as const, value },
  })
  const changes = [
    change('apiKey', 'k-1'),
    change('nickname', null),
    change('region', 'eu-central'),
    change('name', 'Books'),
  ]
  const named = (errorCode: string, message: string, more: Partial<Failure> = {}) =>
    namedChanges(operation({ changes, failure: { ...failure(errorCode, false), message, ...more } })).map(
      ({ property }) => property,
    )
  assert.deepEqual(named('INVALID_API_KEY', 'It is not accepted.'), ['apiKey'])
  assert.deepEqual(named('FIELD', 'nickname is missing.'), ['nickname'])
  assert.deepEqual(named('FIELD', 'Nothing is sold in eu-central.'), ['region'])
  assert.deepEqual(named('BUSY', 'The calendar is busy.'), [])
  // a short name that is a part of another one, and one that is meant
  assert.deepEqual(named('SIGN_IN_FAILED', 'The relay refuses the user name or the password.'), [])
  for (const [code, message] of [
    ['NAME_INVALID', 'It is not accepted.'],
    ['INVALID_NAME', 'It is not accepted.'],
    ['FIELD', 'The name must begin with a capital letter.'],
    ['FIELD', 'data.name: too long'],
    ['FIELD', 'Rejected “name”.'],
  ] as const)
    assert.deepEqual(named(code, message), ['name'], message)
  // the platform's own message quotes no value
  assert.deepEqual(named('PLUGIN_TIMEOUT', 'region', { parameters: { reason: 'callTimeout' } }), [])
})

test('what nobody can know stays on the first screen when a plugin is disabled during its retries', () => {
  const unsure = { ...call('hooks', 20, [timeout({ failure: TIMED_OUT })]), uncertainAttempts: 1 }
  const gone = { ...of('pluginNotRegistered'), errorCode: 'PLUGIN_NOT_REGISTERED' }
  const stopped = operation({ state: 'FAILED', phase: stage, failure: gone }, { before: [unsure] })
  assert.deepEqual(progressOf(stopped, timelineOf(stopped)).unknown, [{ pluginId: 'hooks', stage }])
  assert.deepEqual(effectOf(gone, unsure), { kind: 'earlier', attempts: 1 })
})

test('a retry may repeat what took effect, unless the plugin never received it', () => {
  const refused = of('callRefused')
  const never = call('gone', 10, [timeout({ failure: refused })])
  const unsure = { ...call('hooks', 10, [timeout({ failure: TIMED_OUT })]), uncertainAttempts: 1 }
  const answered = call('mail', 10, [refusal()])
  const repeats = (more: Partial<OperationDetail>, ...before: PluginCall[]) => {
    const stopped = operation({ state: 'FAILED', phase: stage, failure: refused, ...more }, { before })
    return repeatsOf(stopped, timelineOf(stopped))
  }
  const late = call('slow', 10, [attempt({ attempt: 1, late: true }), refusal()])
  assert.deepEqual(repeats({}, never, unsure, answered, late), {
    called: ['gone', 'hooks', 'mail', 'slow'],
    mayHaveActed: ['hooks'],
    late: ['slow'],
    notReceived: ['gone'],
  })
  // it is not called again
  const registration = {
    title: 'Hooks',
    endpoint: 'http://hooks',
    owner: null,
    timeoutMs: 1_000,
    maxAttempts: 3,
  }
  const retirement = { at: at(0), by: { id: 'ada', name: 'Ada' }, reason: 'gone' }
  const retired = [{ ...registration, pluginId: 'hooks', enabled: false, retired: retirement }]
  assert.deepEqual(repeats({ plugins: retired }, never, unsure), {
    called: ['gone'],
    mayHaveActed: [],
    late: [],
    notReceived: ['gone'],
  })
})

test('a DETACH that no plugin has acted on is not said to have begun to remove anything', () => {
  const rejected = of('callHttpStatus', { status: 401 })
  const stopped = { operationType: 'DETACH', state: 'FAILED', phase: stage } as const
  const detach = (...before: PluginCall[]) => impactOf(operation(stopped, { before }))
  assert.equal(detach(call('hooks', 10, [refusal()])), 'KEPT')
  const turnedAway = call('hooks', 10, [attempt({ outcome: null, httpStatus: 401, failure: rejected })])
  assert.equal(detach({ ...turnedAway, uncertainAttempts: 1 }), 'KEPT')
  assert.equal(
    detach({ ...call('hooks', 10, [timeout({ failure: TIMED_OUT })]), uncertainAttempts: 1 }),
    'REMOVING',
  )
  assert.equal(detach(call('mail', 10, [attempt()]), call('hooks', 20, [refusal()])), 'REMOVING')
  assert.equal(
    detach({ ...call('gone', 10, [attempt({ outcome: 'NOT_APPLIED' })]), effectUnknown: true }),
    'REMOVING',
  )
  // its response came too late to count
  assert.equal(detach(call('slow', 10, [attempt({ late: true }), refusal()])), 'REMOVING')
  // the operation that it took over may have begun
  const takesOver = '01900000-0000-7000-8000-000000000003'
  const taking = operation({ ...stopped, takesOver }, { before: [call('hooks', 10, [refusal()])] })
  assert.equal(impactOf(taking), 'REMOVING')
  assert.deepEqual(actedIn(taking), ['hooks'])
})

test('a rejected token says nothing about the attempts before it', () => {
  const rejected = of('callHttpStatus', { status: 401 })
  const rejections = [1, 2].map((n) =>
    attempt({ attempt: n, outcome: null, httpStatus: 401, failure: rejected }),
  )
  const sure = { ...call('hooks', 20, rejections), uncertainAttempts: 2 }
  const unsure = {
    ...call('hooks', 20, [timeout({ failure: TIMED_OUT }), ...rejections]),
    uncertainAttempts: 3,
  }
  assert.deepEqual(effectOf(rejected, sure), { kind: 'rejected' })
  assert.deepEqual(effectOf(rejected, unsure), { kind: 'earlier', attempts: 1 })
  // of a long series, only the ends are loaded
  const partly = { ...call('hooks', 20, rejections), uncertainAttempts: 5 }
  assert.deepEqual(effectOf(rejected, partly), { kind: 'earlier', attempts: 3 })
  for (const [hooks, standing] of [
    [sure, 'failed'],
    [unsure, 'unknown'],
    [partly, 'unknown'],
  ] as const) {
    const stopped = operation({ state: 'FAILED', phase: stage, failure: rejected }, { before: [hooks] })
    assert.deepEqual(progressOf(stopped, timelineOf(stopped))[standing], [{ pluginId: 'hooks', stage }])
  }
})

test('a plugin’s failure is titled with its own message, whatever its code', async () => {
  for (const locale of LANGUAGES) {
    const t = await translator(locale)
    for (const code of ['AUTHENTICATION_REQUIRED', 'PERMISSION_DENIED', 'PLUGIN_TIMEOUT', 'NOT_FOUND'])
      assert.equal(failureTitle(failure(code, false), t), `It was ${code}.`)
  }
  const t = await translator('en')
  assert.equal(
    failureTitle(of('callHttpStatus', { status: 503 }), t),
    'The plugin returned HTTP 503 Service Unavailable',
  )
})

test('only the fields of a response that differ are compared', () => {
  const expected = { operationId: 'a', operationType: 'INSTALL', currentVersion: null }
  const differs = { field: 'operation', expected, received: { ...expected, operationId: 'b' } }
  assert.deepEqual(differencesIn({ size: 1, differs }), [
    { field: 'operation.operationId', expected: 'a', received: 'b' },
  ])
  assert.deepEqual(differencesIn({ differs: { field: 'executionSequence', expected: 1, received: 2 } }), [
    { field: 'executionSequence', expected: '1', received: '2' },
  ])
  for (const response of [null, 'text', {}, { differs: 1 }]) assert.deepEqual(differencesIn(response), [])
})

test('calls whose attempts retention removed are still shown as called', () => {
  const removed = (id: string, order: number, outcome: 'APPLIED' | null) => ({
    ...call(id, order, []),
    outcome,
    runAttempts: 2,
    request: null,
  })
  const old = operation(
    {
      state: 'TAKEN_OVER',
      phase: stage,
      failure: failure('PLUGIN_TIMEOUT', true, 'beta'),
      attemptsRemoved: true,
    },
    { before: [removed('alpha', 10, 'APPLIED'), removed('beta', 20, null), call('gamma', 30, [])] },
  )
  assert.deepEqual(progressOf(old, timelineOf(old)), {
    done: [{ pluginId: 'alpha', stage }],
    failed: [],
    unknown: [{ pluginId: 'beta', stage }],
    resources: null,
    notReached: [{ pluginId: 'gamma', stage }],
  })
})
