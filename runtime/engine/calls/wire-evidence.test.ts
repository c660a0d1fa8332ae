import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { maskEvidence, readWire, recordWire, wireHeaders } from './wire-evidence.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

const endpoint = 'https://plugin.example.org/lifecycle'
const answeredAt = new Date('2026-01-31T08:00:00.000Z')

/** What is recorded of this header. */
function recorded(server: string, sensitiveValues: readonly JsonValue[] = []) {
  const headers = wireHeaders({ server }, endpoint)
  const head = { headers, status: 502, isRedirect: false, endpoint, connectedAt: answeredAt, answeredAt }
  return recordWire(readWire(head), {
    sensitiveValues,
    serviceAddresses: [],
    isUsable: false,
    isClockKnown: true,
  })
}
const shown = (server: string, sensitiveValues: readonly JsonValue[]): string | undefined =>
  recorded(server, sensitiveValues)?.headers?.['server']
const shownLater = (server: string, secrets: readonly JsonValue[]): string | undefined =>
  maskEvidence(recorded(server), secrets)?.headers?.['server']

suite('a recorded header', () => {
  const secret = 'issued-token-1234'

  test('is bounded', () => {
    assert.equal(shown('nginx '.repeat(100), []), `${'nginx '.repeat(33)}…`)
    assert.equal(shown('x'.repeat(200), []), 'x'.repeat(200))
    assert.equal(shown('x'.repeat(201), []), '…')
  })

  test('that could be a token in very many ways is judged quickly (E05)', () => {
    const endWork = boundWork(1)
    for (const end of ['', '.ex']) assert.equal(shown('ey'.repeat(30_000) + end, []), '…')
    endWork()
    assert.equal(
      shown('a-eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.x b.eyJhbGciOiJub25lIn0.ey', []),
      `a-${MASK} b.${MASK}`,
    )
  })

  test('has no part of a secret that is cut, whenever the secret becomes known', () => {
    // the cut is in the middle of the secret
    const long = `${'nginx '.repeat(32)}${secret} nginx`
    assert.equal(shown(long, [secret]), MASK)
    assert.equal(shownLater(long, [secret]), `${'nginx '.repeat(32)}…`)
  })

  test('has no secret that is not ASCII, as Latin-1 and as UTF-8, whenever the secret becomes known', () => {
    const accented = 'issued-naïve-café-ä'
    // Node reads headers as Latin-1
    for (const sent of [accented, Buffer.from(accented).toString('latin1')])
      for (const show of [shown, shownLater]) {
        assert.equal(show(`gate ${sent}`, [accented]), MASK, sent)
        assert.equal(show(`gate ${sent}`, [{ gate: [accented] }]), MASK, sent)
        assert.notEqual(show(`gate ${sent}`, [{ gate: 'another-secret' }]), MASK)
      }
  })
})

suite('the headers of a response that may be shown', () => {
  test('are those of the list, and nothing else', () => {
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
    assert.deepEqual(wireHeaders(headers, endpoint), kept)
    assert.deepEqual(wireHeaders({}, endpoint), {})
  })

  test('are visible', () => {
    assert.equal(wireHeaders({ via: 'a\u001b[31m\u202eb\u00e9' }, endpoint).via, 'a?[31m?b?')
  })

  test('have of a location only where it leads', () => {
    const of = (location: string) => wireHeaders({ location }, endpoint).location
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

  test('have of a challenge its scheme and its error', () => {
    const of = (challenge: string) =>
      wireHeaders({ 'www-authenticate': challenge }, endpoint)['www-authenticate']
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
