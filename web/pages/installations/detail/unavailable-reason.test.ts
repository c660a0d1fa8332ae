import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailableReason } from './unavailable-reason.ts'

test('an active installation without a claim may be changed', () => {
  assert.equal(unavailableReason({ state: 'ACTIVE', claim: null }), null)
})

test('a claim locks the installation, and a failed operation has its own reason', () => {
  for (const state of ['PENDING', 'RUNNING', 'WAITING'] as const)
    assert.equal(unavailableReason({ state: 'ACTIVE', claim: { state } }), 'installations.reason.locked')
  assert.equal(
    unavailableReason({ state: 'ACTIVE', claim: { state: 'FAILED' } }),
    'installations.reason.failed',
  )
})

test('a claim takes precedence over "not installed yet", because it is the cause', () => {
  assert.equal(
    unavailableReason({ state: 'NOT_INSTALLED', claim: { state: 'RUNNING' } }),
    'installations.reason.locked',
  )
  assert.equal(
    unavailableReason({ state: 'NOT_INSTALLED', claim: null }),
    'installations.reason.notInstalled',
  )
})

test('a detached installation reports only that it is detached', () => {
  assert.equal(unavailableReason({ state: 'DETACHED', claim: null }), 'installations.reason.detached')
})
