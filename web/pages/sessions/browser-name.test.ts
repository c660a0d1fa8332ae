import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

test('a browser is named by what it is, not by what it resembles', () => {
  const webkit = 'AppleWebKit/537.36 (like Gecko)'
  const cases: [string, [string, string] | null][] = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, ['Chrome', 'Linux']],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
      ['Edge', 'Windows'],
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
      ['Firefox', 'macOS'],
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
      ['Safari', 'iOS'],
    ],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0 Mobile Safari/537.36`, ['Chrome', 'Android']],
    ['curl/8.0', null],
    ['', null],
  ]
  for (const [userAgent, expected] of cases) {
    const named = browserName(userAgent)
    assert.deepEqual(named && [named.browser, named.system], expected, userAgent)
  }
})
