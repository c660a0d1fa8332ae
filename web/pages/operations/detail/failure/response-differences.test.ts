import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure, operation } from '../calls/testing.ts'
import { misplacedAnswer, otherIdIn } from './response-differences.ts'

test('a response is that of the earlier call only if nothing but the stage differs', () => {
  const stage = { field: 'stage', expected: 'AFTER_RESOURCES', received: 'BEFORE_RESOURCES' }
  const other = { field: 'executionSequence', expected: 2, received: 1 }
  const plugin = { field: 'pluginId', expected: 'sync', received: 'mail' }
  assert.equal(misplacedAnswer({ differs: [stage] }), 'otherStage')
  assert.equal(misplacedAnswer({ differs: [stage, other] }), null)
  // no call came before that of the first stage
  const early = { field: 'stage', expected: 'BEFORE_RESOURCES', received: 'AFTER_RESOURCES' }
  assert.equal(misplacedAnswer({ differs: [early] }), null)
  assert.equal(misplacedAnswer({ differs: [stage, plugin] }), 'elsewhere')
  assert.equal(misplacedAnswer({ errorCode: '0', data: {} }), null)
})

test('a message of a plugin may name another operation, and this platform’s own names none', () => {
  const own = operation()
  const other = '01900000-0000-7000-8000-00000000000f'
  const idIn = (message: string, more = {}) =>
    otherIdIn({ ...failure('LOCKED', false), message, ...more }, own)
  assert.equal(idIn(`Locked by operation ${other}.`), other)
  assert.equal(idIn(`In ${own.operationId}: locked by ${other} (${own.installation.bundleInstallId})`), other)
  assert.equal(idIn(`Failed in ${own.operationId}.`), null)
  assert.equal(idIn('Locked.'), null)
  assert.equal(idIn(`Locked by ${other}.`, { parameters: { reason: 'callTimeout' } }), null)
})
