import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fillLink, isLinkTemplate, isWebPage } from './link-template.ts'

suite('links to logs and traces', () => {
  test('are web pages with known placeholders outside of the host', () => {
    for (const text of [
      'https://logs.example.com/?q={operationId}&from={from}&to={to}',
      'http://traces.example.com/trace/{traceId}#{bundleInstallId}',
      'https://logs.example.com/',
    ])
      assert.equal(isLinkTemplate(text), true, text)
    for (const text of [
      'https://{operationId}.example.com/',
      'https://logs.example.com{operationId}/',
      'https://logs.example.com:{from}/',
      '{operationId}://logs.example.com/',
      'https://logs.example.com/{password}',
      'https://logs.example.com/{operationId',
      'https://user:secret@logs.example.com/{operationId}',
      'javascript:alert({operationId})',
      'logs.example.com/{operationId}',
    ])
      assert.equal(isLinkTemplate(text), false, text)
  })

  test('get encoded values', () => {
    const values = { operationId: 'a b', bundleInstallId: 'i', traceId: 't', from: '10:00', to: '{traceId}' }
    assert.equal(
      fillLink('https://l.example/?q={operationId}&f={from}&t={to}', values),
      'https://l.example/?q=a%20b&f=10%3A00&t=%7BtraceId%7D',
    )
  })

  test('a web page is http or https without user information (C06)', () => {
    assert.equal(isWebPage('https://wiki.example.com/a?b#c'), true)
    for (const text of [
      'mailto:a@b.c',
      'file:///etc/passwd',
      'data:text/html,x',
      'https://u@h.example/',
      'x',
    ])
      assert.equal(isWebPage(text), false, text)
  })
})
