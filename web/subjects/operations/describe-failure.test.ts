import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { remedyOf } from './describe-failure.ts'

const t = await translator('en')
type Failed = Parameters<typeof remedyOf>[0]

const failed = (failure: Partial<NonNullable<Failed['failure']>> = {}): Failed => ({
  nextStep: { actor: 'PLUGIN_OWNER', action: 'CHECK_PLUGIN', since: '2026-11-29T09:00:00.000Z' },
  failure: {
    errorCode: 'PLUGIN_RESULT_UNKNOWN',
    message: 'The plugin returned HTTP 503.',
    retryable: true,
    errorPath: [],
    ...failure,
  },
})

test('an endpoint that was changed after the failure is not to be checked, but called', () => {
  assert.match(remedyOf(failed(), t, { endpointChanged: 'before' }) ?? '', /First check that it is correct/)
  const since = remedyOf(failed(), t, { endpointChanged: 'after' }) ?? ''
  assert.match(since, /changed after this failure\. If that was the fix, retry/)
  assert.doesNotMatch(since, /First check/)
})

test('a plugin that asks to wait is called again before anybody searches in its logs', () => {
  assert.match(remedyOf(failed(), t) ?? '', /^Check the plugin/)
  const later = remedyOf(failed({ retryFrom: '2026-11-29T10:00:00.000Z' }), t) ?? ''
  assert.match(later, /^Retry when the plugin accepts calls again\. If it fails again, check the plugin/)
})
