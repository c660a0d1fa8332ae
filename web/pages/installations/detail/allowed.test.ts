import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailableReason } from './allowed.ts'

test('an active installation that is free may be changed', () => {
  assert.equal(unavailableReason({ state: 'ACTIVE', claim: null }), null)
})

test('a claim forbids it, and a failed one says what to do instead', () => {
  for (const state of ['PENDING', 'RUNNING', 'WAITING'] as const)
    assert.equal(unavailableReason({ state: 'ACTIVE', claim: { state } }), 'installations.reason.locked')
  assert.equal(
    unavailableReason({ state: 'ACTIVE', claim: { state: 'FAILED' } }),
    'installations.reason.failed',
  )
})

test('the claim is told before that it is not installed yet: it is the reason', () => {
  assert.equal(
    unavailableReason({ state: 'NOT_INSTALLED', claim: { state: 'RUNNING' } }),
    'installations.reason.locked',
  )
  assert.equal(
    unavailableReason({ state: 'NOT_INSTALLED', claim: null }),
    'installations.reason.notInstalled',
  )
})

test('a detached one is detached whatever else is', () => {
  assert.equal(unavailableReason({ state: 'DETACHED', claim: null }), 'installations.reason.detached')
})
