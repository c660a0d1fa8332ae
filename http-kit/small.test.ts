import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { systemClock } from './clock.ts'
import { isDiskFull } from './program.ts'
import {
  allowsAddress,
  destinationOf,
  parseEgressAllow,
  namesPlatform,
  parseEgressDeny,
  platformAddress,
  reachesPlatform,
  allowsDestination,
} from './egress.ts'
import { whyNoResponse } from './outbound-result.ts'
import { uuidv7, systemRandom } from './random.ts'

describe('uuidv7', () => {
  it('contains the time and sorts by it', () => {
    const at = (ms: number) => uuidv7({ clock: { now: () => new Date(ms) }, random: systemRandom })
    assert.match(at(0x0123456789ab), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok(at(1_700_000_000_000) < at(1_700_000_000_001))
  })
})

describe('whyNoResponse', () => {
  const why = (code: string) =>
    whyNoResponse(new TypeError('fetch failed', { cause: Object.assign(new Error('text'), { code }) }))

  it('tells what operators do different things about apart, always with the code', () => {
    const texts = {
      ECONNREFUSED: 'nothing listens there',
      EHOSTUNREACH: 'it cannot be routed to',
      ENETUNREACH: 'it cannot be routed to',
      UND_ERR_INVALID_ARG: 'the request to it is not valid',
      ECONNRESET: 'it closes the connection',
      ERR_SSL_WRONG_VERSION_NUMBER: 'it offers no TLS, or no version of it that is accepted',
      CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
      ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
      CERT_REVOKED: 'its certificate is not accepted',
      CERT_SIGNATURE_FAILURE: 'its certificate is not accepted',
      UNABLE_TO_GET_CRL: 'its certificate is not accepted',
      INVALID_PURPOSE: 'its certificate is not accepted',
      ENETDOWN: 'the connection to it fails',
      HPE_INVALID_CONSTANT: 'the connection to it fails',
    }
    for (const [code, text] of Object.entries(texts)) assert.equal(why(code), `${text} (${code})`)
  })

  it('is null about something else', () => {
    for (const code of ['OAUTH_INVALID_RESPONSE', 'constructor', 'ERR_INVALID_URL'])
      assert.equal(why(code), null)
  })
})

describe('systemClock', () => {
  it('sleeps until it is aborted', async () => {
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
  it('recognizes codes of the system and of PostgreSQL and messages of programs, also in causes', () => {
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
    assert.ok(allows('http://10.1.0.0/16', 'http://x', '10.1.2.3'))
    assert.ok(allows('http://10.1.0.0/16', 'http://x', '::ffff:10.1.2.3'))
    assert.ok(!allows('http://10.1.0.0/16', 'http://x', '10.2.0.1'))
    assert.ok(allows('http://10.1.2.3:8443', 'http://x:8443', '10.1.2.3'))
    assert.ok(!allows('http://10.1.2.3:8443', 'http://x:80', '10.1.2.3'))
    assert.ok(allows('http://[fd00::/8]:8443', 'http://x:8443', 'fd00::1'))
    assert.ok(allows('http://fd00::/8', 'http://x', 'fd12::1'))
  })

  it('allow http to other machines only where they say so (E03)', () => {
    for (const [rule, host, address] of [
      ['10.1.0.0/16', '10.1.2.3', '10.1.2.3'],
      ['10.1.2.3:8443', '10.1.2.3:8443', '10.1.2.3'],
      ['[fd00::1]', '[fd00::1]', 'fd00::1'],
      ['plugins.example.org', 'plugins.example.org', '10.0.0.1'],
    ] as const) {
      assert.ok(allows(rule, `https://${host}`, address), rule)
      assert.ok(!allows(rule, `http://${host}`, address), rule)
      assert.ok(!allowsDestination(parseEgressAllow(rule), destinationOf(new URL(`http://${host}`))), rule)
      const open = `http://${rule}`
      assert.ok(allows(open, `http://${host}`, address), open)
      assert.ok(allowsDestination(parseEgressAllow(open), destinationOf(new URL(`http://${host}`))), open)
    }
    assert.ok(allows('127.0.0.1', 'http://127.0.0.1', '127.0.0.1'))
  })

  it('allow a name to resolve to public and private networks only', () => {
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
    assert.ok(allows('http://plugins:9000', 'http://plugins:9000', '172.18.0.3'))
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

  it('name the invalid item', () => {
    for (const item of [
      '10.0.0.0/33',
      'https://a',
      'http://',
      'http://http://a',
      'http://a/b',
      'http://loopback:1:2',
      'a:0',
      'a:70000',
      '*.a',
      '1.2.3',
      'a b',
      '[host]:1',
    ]) {
      assert.throws(() => parseEgressAllow(`loopback,${item}`), /EGRESS_ALLOW is wrong/, item)
    }
    assert.throws(
      () => parseEgressAllow('808\r\n1'),
      /^SettingsError: EGRESS_ALLOW is wrong: "808 1" is neither/,
    )
  })
})

describe('addresses of the platform', () => {
  const machine = Object.values(networkInterfaces()).flatMap((own) => own ?? [])
  const platform = () => [
    platformAddress('127.0.0.1', 8080),
    platformAddress('/var/run/postgresql', 5432),
    platformAddress('DB.example.org', 5433),
    platformAddress('10.9.8.7', 5434),
  ]
  const names = (url: string): boolean => namesPlatform(platform, destinationOf(new URL(url)))

  it('match every name of this machine, at their ports only', () => {
    for (const port of [8080, 5432]) {
      for (const host of [
        '127.0.0.1',
        '127.9.9.9',
        '0x7f.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '0.0.0.0',
        '[::]',
      ])
        assert.ok(names(`http://${host}:${port}`), host)
      for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])
        assert.ok(names(`http://${host}:${port}`), host)
      for (const { address, family } of machine)
        assert.ok(names(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`), address)
    }
    assert.ok(!names('http://localhost:8081'))
    assert.ok(!names('http://10.9.8.7:8080'))
    assert.ok(!names('http://plugins.example.org:8080'))
  })

  it('match the name or address of another machine', () => {
    assert.ok(names('http://db.example.org:5433'))
    assert.ok(names('http://10.9.8.7:5434'))
    assert.ok(names('http://[::ffff:10.9.8.7]:5434'))
    assert.ok(!names('http://db.example.org:5434'))
    assert.ok(!names('http://127.0.0.1:5434'))
  })

  it('match by the address that was reached, whatever the name', async () => {
    const reaches = (address: string, port: number) => reachesPlatform(platform, { address, port })
    assert.ok(await reaches('127.0.0.1', 8080))
    assert.ok(await reaches('::ffff:127.0.0.1', 8080))
    for (const { address } of machine) assert.ok(await reaches(address, 8080), address)
    assert.ok(await reaches('10.9.8.7', 5434))
    assert.ok(!(await reaches('10.9.8.8', 5434)))
    assert.ok(!(await reaches('127.0.0.1', 8081)))
    const named = () => [{ host: 'localhost', port: 7000 }]
    assert.ok(await reachesPlatform(named, { address: '127.0.0.1', port: 7000 }))
    assert.ok(!(await reachesPlatform(named, { address: '10.0.0.1', port: 7000 })))
    const unknown = () => [{ host: 'no-such-host.invalid', port: 7000 }]
    assert.ok(!(await reachesPlatform(unknown, { address: '127.0.0.1', port: 7000 })))
  })

  it('are read from EGRESS_DENY, naming the invalid item', () => {
    assert.deepEqual(parseEgressDeny(' console.example.org:8080, [fd00::1]:80,127.0.0.1:9,'), [
      { host: 'console.example.org', port: 8080 },
      { host: 'fd00::1', port: 80 },
      { host: null, port: 9 },
    ])
    assert.deepEqual(parseEgressDeny(''), [])
    for (const item of [
      'host',
      'http://a:1',
      'a:0',
      'a:70000',
      '*.a:1',
      'a b:1',
      'a@b:1',
      '[::1]',
      '10.0.0.0/8',
    ])
      assert.throws(() => parseEgressDeny(`ok:1,${item}`), /EGRESS_DENY is wrong/, item)
  })
})
