import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { maskEvidence, readWire, recordWire, wireHeaders } from './wire-evidence.ts'

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
    const started = process.cpuUsage()
    for (const end of ['', '.ex']) assert.equal(shown('ey'.repeat(30_000) + end, []), '…')
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 1_000_000, `${user + system} µs`)
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
