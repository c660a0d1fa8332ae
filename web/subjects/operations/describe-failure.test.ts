import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { remedyOf, retryHelpsText } from './describe-failure.ts'

const t = await translator('en')
type Failed = Parameters<typeof remedyOf>[0]

const SUPPORT = { actor: 'SUPPORT', action: 'RETRY' } as const

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
  assert.match(
    remedyOf(failed(), t, { endpointChanged: 'before' }) ?? '',
    /^Someone changed the plugin’s endpoint/,
  )
  assert.match(
    remedyOf(failed(), t, { endpointChanged: 'before', endpointBy: 'Ada' }) ?? '',
    /^Ada changed the plugin’s endpoint[^]*with them/,
  )
  const since = remedyOf(failed(), t, { endpointChanged: 'after' }) ?? ''
  assert.match(since, /changed after this failure\. If that was the fix, retry/)
  assert.doesNotMatch(since, /First check/)
})

test('a plugin that asks to wait is called again before anybody searches in its logs', () => {
  assert.match(remedyOf(failed(), t) ?? '', /^Check the plugin/)
  const waits = failed({ retryFrom: '2026-11-29T10:00:00.000Z' })
  const later = remedyOf({ ...waits, nextStep: { ...waits.nextStep, ...SUPPORT } }, t) ?? ''
  assert.match(later, /^Retry the operation when the plugin accepts calls again\. If it fails again, ask/)
})

test('what the failure names was changed since is told only where somebody could change it', () => {
  const retried = (failure: Parameters<typeof failed>[0]) => {
    const given = failed(failure)
    return remedyOf({ ...given, nextStep: { ...given.nextStep, ...SUPPORT } }, t) ?? ''
  }
  const CLEARED = /^What this failure names was changed since/
  for (const reason of [
    'pluginNotRegistered',
    'callTimeout',
    'callHostUnknown',
    'callNoRoute',
    'callTlsExpired',
  ])
    assert.match(retried({ parameters: { reason } }), CLEARED, reason)
  const refusedHere = (rule: 'SERVICE_DISABLED' | 'CREDENTIAL_REVOKED') => ({
    refusedHere: { at: '2026-11-29T09:00:00.000Z', endpoint: 'RESOLVE' as const, rule, code: 'X' },
  })
  assert.match(retried(refusedHere('SERVICE_DISABLED')), CLEARED)
  assert.match(retried(refusedHere('CREDENTIAL_REVOKED')), /^A credential was created/)
  for (const reason of ['callInterrupted', 'callLimited'])
    assert.match(retried({ parameters: { reason } }), /^Retry the operation once the cause is fixed/, reason)
})

test('advice leads to the host name, to the version, or to the service behind the plugin', () => {
  const remedy = (
    action: 'CHECK_PLUGIN' | 'FIX_CAUSE' | 'FIX_ENDPOINT' | 'FIX_RESPONSE',
    failure: Parameters<typeof failed>[0],
    evidence = {},
  ) => remedyOf({ ...failed(failure), nextStep: { ...failed().nextStep, action } }, t, evidence) ?? ''
  assert.match(remedy('FIX_ENDPOINT', { parameters: { reason: 'callHostUnknown' } }), /in DNS/)
  const newVersion = { before: '1.9.4', after: '2.0.0' }
  assert.match(
    remedy('FIX_CAUSE', { retryable: false }, { newVersion }),
    /changed from 1\.9\.4 to 2\.0\.0[^]*Fix what the plugin/,
  )
  assert.match(remedy('FIX_RESPONSE', {}, { newVersion }), /^The plugin’s version was changed/)
  for (const status of [407, 511])
    assert.match(
      remedy('CHECK_PLUGIN', { parameters: { reason: 'callHttpStatus', status } }),
      /^Find out which proxy or sign-in page/,
    )
  // a plugin that says that no repetition can succeed did not need more attempts
  const lowered = { limit: 'maxAttempts', before: 3, after: 1 } as const
  assert.match(
    remedy('FIX_CAUSE', { attemptsUsed: 1 }, { lowered }),
    /^The plugin’s attempts per run were lowered/,
  )
  assert.match(remedy('FIX_CAUSE', { retryable: false }, { lowered }), /^Fix what the plugin/)
  const left = remedy('FIX_CAUSE', { retryable: true }, { mayHaveLeft: true })
  assert.match(
    left,
    /^First check what an earlier attempt may have left[^]*passes by itself, wait until it is over/,
  )
  const path = (...beyond: string[]) =>
    remedy('FIX_CAUSE', { retryable: false, errorPath: ['bundle-runtime', 'sync', ...beyond] })
  assert.match(path('mail-hub', 'relay'), /ends at relay, behind the plugin/)
  const refusedHere = {
    rule: 'NOT_AUTHORIZED',
    endpoint: 'RESOLVE',
    code: 'REFERENCE_NOT_AUTHORIZED',
    at: '2026-11-29T09:00:00.000Z',
  } as const
  assert.match(
    remedy('FIX_CAUSE', { retryable: false, refusedHere }),
    /^The bundle’s manifest does not allow/,
  )
  // none, or this platform
  for (const beyond of [[], ['module-plugin-manager']]) assert.match(path(...beyond), /^Fix what the plugin/)
})

test('a value that the operation itself changes is not to be fixed in the plugin without asking', () => {
  const refused = {
    ...failed({ retryable: false }),
    nextStep: { ...failed().nextStep, action: 'FIX_CAUSE' as const },
  }
  assert.match(remedyOf(refused, t) ?? '', /^Fix what the plugin reports/)
  assert.match(remedyOf(refused, t, { isNamed: true }) ?? '', /If a value is wrong, no retry helps/)
  assert.match(remedyOf(refused, t, { isNamed: true, hasEarlier: true }) ?? '', /^An earlier attempt/)
  const helps = (evidence: Parameters<typeof retryHelpsText>[2]) =>
    retryHelpsText({ ...refused, retryHelps: 'AFTER_CHANGE' }, t, evidence)
  assert.equal(helps({}), 'Only after the cause is fixed')
  assert.equal(helps({ isNamed: true }), 'Only if the plugin is fixed, not if a value is wrong')
})

test('a plugin that does not know its result is not said to have a cause to fix', () => {
  const unknown = (action: 'CHECK_RESULT' | 'FIX_CAUSE') =>
    retryHelpsText({ ...failed(), nextStep: { ...failed().nextStep, action }, retryHelps: 'YES' }, t, {})
  assert.equal(unknown('CHECK_RESULT'), 'Once the plugin knows its result')
  assert.equal(unknown('FIX_CAUSE'), 'Once the cause is fixed or gone')
})

test('a response to another call is not blamed on the plugin', () => {
  const invalid = { ...failed(), nextStep: { ...failed().nextStep, action: 'FIX_RESPONSE' as const } }
  assert.match(remedyOf(invalid, t) ?? '', /^Ask the plugin’s owner to fix the plugin/)
  assert.match(remedyOf(invalid, t, { misplaced: 'replayed' }) ?? '', /^Find the cache or proxy/)
  assert.match(remedyOf(invalid, t, { misplaced: 'otherStage' }) ?? '', /^Check whether a cache or proxy/)
  assert.match(remedyOf(invalid, t, { misplaced: 'elsewhere' }) ?? '', /^Check which plugin answers/)
})

test('a host without a route is not said to have a plugin that is not running', () => {
  const restore = (reason: string) => {
    const given = failed({ parameters: { reason } })
    return remedyOf({ ...given, nextStep: { ...given.nextStep, action: 'RESTORE_PLUGIN' } }, t) ?? ''
  }
  assert.match(restore('callNoRoute'), /routes and firewalls let the platform reach it/)
  assert.match(restore('callRefused'), /^Check that the plugin is running/)
})

test('a secure connection that failed for an unknown reason is not said to have one', () => {
  const tls = {
    ...failed({ parameters: { reason: 'callTlsFailed' } }),
    nextStep: { ...failed().nextStep, action: 'FIX_TLS' as const },
  }
  assert.match(
    remedyOf(tls, t) ?? '',
    /^The endpoint may respond without HTTPS, .* require a client certificate, /,
  )
})

test('an endpoint that had no certificate before is not to use an earlier one', () => {
  const early = {
    ...failed({ parameters: { reason: 'callTlsEarly' } }),
    nextStep: { ...failed().nextStep, action: 'FIX_TLS' as const },
  }
  assert.match(remedyOf(early, t) ?? '', /^Ask the plugin’s owner to use a certificate that is valid now\. /)
})
