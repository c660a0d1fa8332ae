import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextCause, Failure, OperationContext } from '#contract/console-api/shapes.ts'
import type { NextAction } from '#contract/console-api/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { failure, operation } from '../calls/testing.ts'
import { decisionBehind, hasNewEndpoint, loweredLimit, newVersion } from './context-evidence.ts'

const data = (value: number | string | boolean | null) =>
  value === null ? null : ({ '@type': 'Data', value } as const)

type Change = [property: string, before: number | string | boolean | null, after: number | string | boolean]

/** The changes of the registration of `sync`, the oldest first, one a minute. */
function contextWith(...changes: Change[]): OperationContext {
  const causes = changes.map(([property, before, after], minute): ContextCause => ({
    kind: 'plugin.save',
    at: `2026-01-31T08:0${minute}:00.000Z`,
    by: { id: 'ada', name: 'Ada' },
    reason: null,
    subject: 'sync',
    link: null,
    during: false,
    changes: [{ locator: null, property, before: data(before), after: data(after) }],
  }))
  return {
    lastGood: null,
    since: '2026-01-31T07:00:00.000Z',
    causes: causes.toReversed(),
    hasMore: false,
    valuesRead: [],
    referrers: { items: [], hasMore: false },
  }
}
const END = '2026-01-31T08:30:00.000Z'

const failedWith = (action: NextAction, more: Partial<Failure>) => {
  const installation = { environmentKey: 'production', applicationRuntimeId: 'shop', workspaceId: 1 }
  const failed = operation({
    state: 'FAILED',
    failure: { ...failure('REFUSED', false), ...more },
    nextStep: { actor: 'ADMINISTRATOR', action, since: END },
  })
  return { ...failed, installation: { ...failed.installation, ...installation } }
}

test('a version that was changed before the failure is told with the earlier one', () => {
  assert.deepEqual(newVersion(contextWith(['version', '1.9.4', '2.0.0']), 'sync', END), {
    before: '1.9.4',
    after: '2.0.0',
  })
  assert.equal(newVersion(contextWith(['version', '1', '2'], ['version', '2', '1']), 'sync', END), null)
  assert.equal(newVersion(contextWith(['version', null, '1']), 'sync', END), null)
})

test('a limit counts as lowered by all of its changes together', () => {
  const lowered = (...changes: Change[]) => loweredLimit(contextWith(...changes), 'sync', END)
  assert.deepEqual(lowered(['timeoutMs', 5000, 900]), { limit: 'timeoutMs', before: 5000, after: 900 })
  assert.equal(lowered(['timeoutMs', 5000, 900], ['timeoutMs', 900, 5000]), null)
  assert.deepEqual(lowered(['timeoutMs', 5000, 300], ['timeoutMs', 300, 900]), {
    limit: 'timeoutMs',
    before: 5000,
    after: 900,
  })
  assert.deepEqual(lowered(['timeoutMs', null, 5000], ['maxAttempts', null, 3], ['maxAttempts', 3, 1]), {
    limit: 'maxAttempts',
    before: 3,
    after: 1,
  })
  assert.equal(loweredLimit(contextWith(['timeoutMs', 5000, 900]), 'other', END), null)
})

test('what was changed after the end, or what the plugin has succeeded with since, explains nothing', () => {
  const context = contextWith(['timeoutMs', 5000, 900])
  assert.equal(loweredLimit(context, 'sync', '2026-01-31T07:59:00.000Z'), null)
  const [cause] = context.causes
  assert.ok(cause)
  assert.equal(loweredLimit({ ...context, causes: [{ ...cause, succeededSince: true }] }, 'sync', END), null)
})

test('an endpoint that was changed back is not new, and a registration is not a change', () => {
  const isNew = (...changes: Change[]) => hasNewEndpoint(contextWith(...changes), 'sync', END)
  assert.equal(isNew(['endpoint', null, 'http://a/']), false)
  assert.equal(isNew(['endpoint', null, 'http://a/'], ['endpoint', 'http://a/', 'http://b/']), true)
  assert.equal(isNew(['endpoint', 'http://a/', 'http://b/'], ['endpoint', 'http://b/', 'http://a/']), false)
})

test('who disabled a plugin is told, whatever was changed since, until it is enabled again', () => {
  const by = (...changes: Change[]) => {
    const failure = failedWith('REGISTER_PLUGIN', { parameters: { reason: 'pluginNotRegistered' } })
    return decisionBehind(contextWith(...changes), failure, 'sync')?.at ?? null
  }
  const off: Change = ['enabled', true, false]
  assert.equal(by(['enabled', null, true], off), '2026-01-31T08:01:00.000Z')
  assert.equal(by(off, ['timeoutMs', 5000, 900]), '2026-01-31T08:00:00.000Z')
  assert.equal(by(off, ['enabled', false, true]), null)
})

test('who took from an operation what it needs is named, and nobody who changed something else', () => {
  const scope = { environmentKey: 'production', applicationRuntimeId: 'shop', workspaceId: 1 }
  const other = { ...scope, workspaceId: 2 }
  const cause = (
    kind: ContextCause['kind'],
    subject: string,
    changes: ContextCause['changes'] = [],
  ): ContextCause => ({
    kind,
    at: '2026-01-31T08:00:00.000Z',
    by: { id: 'ada', name: 'Ada' },
    reason: 'INC-7',
    subject,
    link: null,
    during: true,
    changes,
  })
  const consumers = (before: Scope[], after: Scope[]) =>
    cause('service.save', 'mail', [
      {
        locator: null,
        property: 'consumers',
        before: { '@type': 'Data', value: before },
        after: { '@type': 'Data', value: after },
      },
    ])
  const refused = (rule: 'SERVICE_NOT_ALLOWED' | 'CREDENTIAL_REVOKED', action: NextAction) =>
    failedWith(action, { refusedHere: { at: END, endpoint: 'RESOLVE', rule, code: 'X', service: 'mail' } })
  const decided = (operation: Parameters<typeof decisionBehind>[1], ...causes: ContextCause[]) => {
    const found = decisionBehind({ ...contextWith(), causes }, operation, 'sync')
    return found && [found.kind, found.by.name, found.reason]
  }
  const service = refused('SERVICE_NOT_ALLOWED', 'RESTORE_SERVICE')
  const NOT_ALLOWED = ['serviceNotAllowed', 'Ada', 'INC-7']
  assert.deepEqual(decided(service, consumers([scope, other], [other])), NOT_ALLOWED)
  assert.deepEqual(decided(service, consumers([other], []), consumers([scope], [])), NOT_ALLOWED)
  assert.equal(decided(service, consumers([other], []), consumers([], [scope])), null)
  const revoked = refused('CREDENTIAL_REVOKED', 'CREATE_CREDENTIAL')
  assert.deepEqual(decided(revoked, cause('plugin.credential.revoke', 'sync')), ['revoked', 'Ada', 'INC-7'])
  assert.equal(decided(revoked, cause('plugin.credential.revoke', 'other')), null)
  const recalled = failedWith('CHECK_VERSION', {})
  assert.deepEqual(decided(recalled, cause('bundle.recall', 'shop 2.0.0')), ['recalled', 'Ada', 'INC-7'])
  // who may not see the person is not told one
  assert.equal(decided(recalled, { ...cause('bundle.recall', 'shop 2.0.0'), by: null }), null)
  // somebody has undone it
  assert.equal(
    decided(refused('CREDENTIAL_REVOKED', 'RETRY'), cause('plugin.credential.revoke', 'sync')),
    null,
  )
})
