import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseScope, scopeText } from './scope-text.ts'

test('a formatted scope is parsed again', () => {
  const scope = { environmentKey: 'production', applicationRuntimeId: 'eu-central', workspaceId: 0 }
  assert.deepEqual(parseScope(scopeText(scope)), scope)
})

test('anything else is not a scope', () => {
  for (const text of [
    '',
    'a',
    'a/b',
    'a/b/',
    'a/b/01',
    'a/b/-1',
    'a/b/1.5',
    'a/b/1/2',
    '../b/1',
    'a/b/9007199254740993',
  ])
    assert.equal(parseScope(text), null, text)
})
