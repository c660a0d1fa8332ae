import assert from 'node:assert/strict'
import { test } from 'node:test'
import { misplacedAnswer } from './response-differences.ts'

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
