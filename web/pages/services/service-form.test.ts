import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodsOf, wrongMethod } from './service-form.ts'

test('methods are read one a line, each once', () => {
  assert.deepEqual(methodsOf(' capture \n\nrefund, capture'), ['capture', 'refund'])
})

test('a method is one path segment', () => {
  assert.equal(wrongMethod('a.b\nc-d'), undefined)
  assert.equal(wrongMethod('ok\na/b'), 'a/b')
  assert.equal(wrongMethod('.hidden'), '.hidden')
})
