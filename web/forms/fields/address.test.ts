import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddress } from './address.ts'

test('an address is http or https, without user information, query or fragment', () => {
  assert.ok(isAddress('https://plugins.example.com/lifecycle'))
  assert.ok(isAddress('http://127.0.0.1:8080'))
  for (const text of ['', 'x', 'ftp://a', 'https://u:p@a/', 'https://a/?q', 'https://a/#f', 'https://a/ b'])
    assert.ok(!isAddress(text), text)
})
