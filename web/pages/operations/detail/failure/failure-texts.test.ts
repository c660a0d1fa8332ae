import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NextStep } from '#contract/console-api/shapes.ts'
import type { NextAction } from '#contract/console-api/vocabulary.ts'
import { translator } from '../../../../i18n/testing.ts'
import { attempt, call, failure, operation } from '../calls/testing.ts'
import { clockText, impactText, nextText, thenText } from './failure-texts.ts'

const t = await translator('en')

const known = {
  misplaced: null,
  endpointChanged: null,
  hasEarlier: false,
  isNamed: false,
  hasWrongClock: false,
  decision: null,
  blamed: undefined,
}
const step = (action: NextAction): NextStep => ({
  actor: 'PLUGIN_OWNER',
  action,
  since: '2026-01-31T08:00:00.000Z',
  afterwards: { actor: 'SUPPORT', action: 'RETRY' },
})

test('the next step is as definite as the advice', () => {
  const because = (action: NextAction, parameters: Record<string, string | number>) =>
    nextText(step(action), { ...failure('PLUGIN_RESULT_UNKNOWN', true), parameters }, known, t)
  const next = (parameters: Record<string, string | number>) => because('CHECK_PLUGIN', parameters)
  assert.equal(next({ reason: 'callHttpStatus', status: 507 }), 'Free space on the plugin’s host')
  assert.equal(next({ reason: 'callHttpStatus', status: 413 }), 'Raise the limit for the size of requests')
  assert.equal(next({ reason: 'callTooLarge' }), 'Make the response smaller')
  assert.equal(next({ reason: 'callHttpStatus', status: 500 }), undefined)
  const forbidden = { reason: 'callHttpStatus', status: 403 }
  assert.equal(because('FIX_AUTHENTICATION', forbidden), 'Find out what refuses the call')
  assert.equal(
    because('FIX_RESPONSE', { reason: 'callForeign' }),
    'Check which plugin answers at the endpoint',
  )
  assert.equal(
    because('FIX_ENDPOINT', { reason: 'callHostUnknown' }),
    'Correct the endpoint, or restore its host name',
  )
  // its cause may be gone
  assert.equal(because('RETRY', forbidden), undefined)
  assert.equal(
    because('RESTORE_PLUGIN', { reason: 'callNoRoute' }),
    'Restore the network route to the plugin’s host',
  )
})

test('a changed endpoint is checked before the plugin, and a plugin that asks to wait is not called now', () => {
  const next = (action: NextAction, retryFrom?: string) =>
    nextText(
      step(action),
      { ...failure('REFUSED', false), ...(retryFrom && { retryFrom }) },
      { ...known, endpointChanged: 'before' },
      t,
    )
  for (const action of ['FIX_CAUSE', 'RESTORE_PLUGIN'] as const)
    assert.equal(next(action), 'Check the changed endpoint with an administrator', action)
  // what says so itself, has a cause of its own, or is not about the plugin
  for (const action of ['FIX_ENDPOINT', 'FIX_TLS', 'RETRY'] as const)
    assert.equal(next(action), undefined, action)
  const tls = { ...failure('PLUGIN_UNREACHABLE', true), parameters: { reason: 'callTlsFailed' } }
  assert.equal(
    nextText(step('FIX_TLS'), tls, { ...known, endpointChanged: 'before' }, t),
    'Check the changed endpoint with an administrator',
  )
  assert.equal(next('RETRY', '2026-01-31T09:00:00.000Z'), 'Retry when the plugin accepts calls again')
})

test('a refused value of the operation itself leaves two ways, unless an earlier attempt may be the cause', () => {
  const fix = step('FIX_CAUSE')
  const named = { ...known, isNamed: true }
  assert.equal(nextText(fix, null, named, t), 'Decide whether to accept the named values')
  assert.match(thenText(fix, named, t) ?? '', /Retry the operation, or take it over if a value is wrong$/)
  assert.equal(thenText(fix, { ...named, hasEarlier: true }, t), 'then Support: Retry the operation')
})

test('a scope that lost a service is not told that the service is to be restored', () => {
  const by = { id: 'ada', name: 'Ada' }
  const next = (kind: 'serviceDisabled' | 'serviceNotAllowed') =>
    nextText(
      step('RESTORE_SERVICE'),
      null,
      { ...known, decision: { kind, by, at: '2026-01-31T08:00:00.000Z', reason: null } },
      t,
    )
  assert.equal(next('serviceDisabled'), 'Decide with Ada whether to restore the service')
  assert.equal(
    next('serviceNotAllowed'),
    'Decide with Ada whether to allow this scope to use the service again',
  )
})

test('a clock is told in the units of its difference', () => {
  assert.equal(clockText(12, t), 'The clock of the plugin’s host is 12 s behind.')
  assert.equal(clockText(-249_739_787, t), 'The clock of the plugin’s host is 2,890 days 12 h ahead.')
})

test('the plugins that acted are named', () => {
  const acted = operation(
    { state: 'FAILED', phase: 'BEFORE_RESOURCES' },
    { before: [call('tenants', 10, [attempt()]), call('hooks', 20, [])] },
  )
  assert.match(impactText(acted, t), /configuration\. tenants may already have acted\.$/)
})
