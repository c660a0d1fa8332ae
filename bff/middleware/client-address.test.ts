import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientAddress, rateLimitAddress } from './client-address.ts'

describe('client address', () => {
  const address = (remoteAddress: string, forwarded: string | undefined, hops: number): string =>
    rateLimitAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never, hops)

  it('trusts exactly the configured number of proxies (D10)', () => {
    assert.equal(address('10.0.0.1', '1.1.1.1', 0), '10.0.0.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1', 1), '1.1.1.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2), '1.1.1.1')
    assert.equal(address('10.0.0.1', undefined, 1), '10.0.0.1')
    assert.equal(address('10.0.0.1', 'garbage', 1), '10.0.0.1')
    assert.equal(address('::ffff:10.0.0.1', undefined, 0), '10.0.0.1')
    assert.equal(address('2001:db8:1:2:3::4', undefined, 0), address('2001:db8:1:2:9::9', undefined, 0))
  })

  it('is exact for the audit (D10)', () => {
    const exact = (remoteAddress: string, forwarded?: string, hops = 0): string =>
      clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never, hops)
    assert.equal(exact('::ffff:10.0.0.1'), '10.0.0.1')
    assert.equal(exact('2001:db8:1:2:3::4'), '2001:db8:1:2:3::4')
    assert.equal(exact('10.0.0.1', '6.6.6.6, 2001:DB8::0:1', 1), '2001:db8::1')
    assert.equal(exact('::ffff:10.0.0.1', '<script>', 1), '10.0.0.1')
  })
})
