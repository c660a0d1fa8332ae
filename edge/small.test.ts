import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from './clock.ts'
import { isDiskFull } from './disk-full.ts'
import { allowsAddress, destinationOf, parseEgressAllow } from './egress.ts'
import { uuidv7 } from './ids.ts'
import { systemRandom } from './random.ts'

describe('uuidv7', () => {
  it('holds the time it is given and sorts by it', () => {
    const at = (ms: number) => uuidv7({ clock: { now: () => new Date(ms) }, random: systemRandom })
    assert.match(at(0x0123456789ab), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok(at(1_700_000_000_000) < at(1_700_000_000_001))
  })
})

describe('systemClock', () => {
  it('sleeps until it is woken', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('woken')), 10)
    await assert.rejects(systemClock.sleep(60_000, stop.signal), /woken/)
    await assert.rejects(systemClock.sleep(1, AbortSignal.abort(new Error('already'))), /already/)
    const before = systemClock.monotonic()
    await systemClock.sleep(20)
    assert.ok(systemClock.monotonic() - before >= 15)
  })
})

describe('isDiskFull', () => {
  it('knows the codes of the system and of PostgreSQL, and the words of programs, in causes too', () => {
    const of = (code: string) => Object.assign(new Error('write failed'), { code })
    const full = [
      of('ENOSPC'),
      of('53100'),
      new Error('FATAL: No space left on device'),
      new Error('x', { cause: of('EDQUOT') }),
    ]
    for (const error of full) assert.ok(isDiskFull(error))
    for (const error of [of('EACCES'), new Error('x', { cause: 'ENOSPC' }), 'ENOSPC', undefined])
      assert.ok(!isDiskFull(error))
  })
})

describe('egress rules', () => {
  const allows = (rules: string, url: string, address: string): boolean => {
    return allowsAddress(parseEgressAllow(rules), destinationOf(new URL(url)), address)
  }

  it('allow loopback, networks and addresses', () => {
    assert.ok(allows('loopback', 'http://localhost:1', '127.8.9.1'))
    assert.ok(allows('loopback', 'http://[::1]', '::1'))
    assert.ok(!allows('loopback', 'http://x', '10.0.0.1'))
    assert.ok(allows('10.1.0.0/16', 'http://x', '10.1.2.3'))
    assert.ok(allows('10.1.0.0/16', 'http://x', '::ffff:10.1.2.3'))
    assert.ok(!allows('10.1.0.0/16', 'http://x', '10.2.0.1'))
    assert.ok(allows('10.1.2.3:8443', 'http://x:8443', '10.1.2.3'))
    assert.ok(!allows('10.1.2.3:8443', 'http://x:80', '10.1.2.3'))
    assert.ok(allows('[fd00::/8]:8443', 'http://x:8443', 'fd00::1'))
    assert.ok(allows('fd00::/8', 'http://x', 'fd12::1'))
  })

  it('trust a name for public and private networks, and for nothing that only tricks lead to', () => {
    const named = (address: string): boolean =>
      allows('plugins.example.org', 'https://plugins.example.org', address)
    for (const address of [
      '93.184.216.34',
      '2606:2800::1',
      '10.0.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fd00::1',
    ]) {
      assert.ok(named(address), address)
    }
    assert.ok(allows('plugins:9000', 'http://plugins:9000', '172.18.0.3'))
    assert.ok(!allows('plugins.example.org', 'https://other.example.org', '93.184.216.34'))
    assert.ok(!allows('plugins.example.org:8443', 'https://plugins.example.org', '93.184.216.34'))
    const tricks = [
      '127.0.0.1',
      '169.254.169.254',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '240.0.0.1',
      '::1',
      '::',
      'fe80::1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '::ffff:127.0.0.1',
    ]
    for (const address of tricks) assert.ok(!named(address), address)
    assert.ok(allows('localhost:9000', 'http://localhost:9000', '127.0.0.1'))
  })

  it('name the item that is wrong', () => {
    for (const item of ['10.0.0.0/33', 'http://a', 'a:0', 'a:70000', '*.a', '1.2.3', 'a b', '[host]:1']) {
      assert.throws(() => parseEgressAllow(`loopback,${item}`), /EGRESS_ALLOW is wrong/, item)
    }
    assert.throws(
      () => parseEgressAllow('808\r\n1'),
      /^SettingsError: EGRESS_ALLOW is wrong: "808 1" is neither/,
    )
  })
})
