import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wireHeaders } from './wire-evidence.ts'

const URL_OF_CALL = 'https://plugin.example.org/lifecycle'

describe('the headers of a response that may be shown', () => {
  it('are those of the list, and nothing else', () => {
    const headers = {
      'retry-after': '120',
      date: 'Fri, 27 Nov 2026 08:18:28 GMT',
      server: 'nginx',
      via: '1.1 varnish',
      age: '31',
      'x-cache': 'HIT',
      'set-cookie': ['session=1'],
      authorization: 'Bearer x',
    }
    const { 'set-cookie': _, authorization: __, ...kept } = headers
    assert.deepEqual(wireHeaders(headers, URL_OF_CALL), kept)
    assert.deepEqual(wireHeaders({}, URL_OF_CALL), {})
  })

  it('are visible', () => {
    assert.equal(wireHeaders({ via: 'a\u001b[31m\u202eb\u00e9' }, URL_OF_CALL).via, 'a?[31m?b?')
  })

  it('have of a location only where it leads', () => {
    const of = (location: string) => wireHeaders({ location }, URL_OF_CALL).location
    assert.equal(
      of('https://me:secret@sso.example.org:8443/login?ticket=secret#x'),
      'https://sso.example.org:8443',
    )
    assert.equal(of('/login?ticket=secret'), 'https://plugin.example.org')
    assert.equal(of('//sso.example.org/x'), 'https://sso.example.org')
    for (const odd of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://',
      `https://${'x.'.repeat(200)}org/`,
      '',
    ])
      assert.equal(of(odd), undefined, odd)
  })

  it('have of a challenge its scheme and its error', () => {
    const of = (challenge: string) =>
      wireHeaders({ 'www-authenticate': challenge }, URL_OF_CALL)['www-authenticate']
    assert.equal(
      of('Bearer realm="https://internal", error="invalid_token", error_description="secret"'),
      'Bearer error="invalid_token"',
    )
    assert.equal(of('Basic realm="internal"'), 'Basic')
    assert.equal(of('Bearer error_description="secret"'), 'Bearer')
    assert.equal(of('"'), undefined)
    // not the first characters of something longer
    assert.equal(of(`Bearer error="${'x'.repeat(65)}"`), 'Bearer')
  })
})
