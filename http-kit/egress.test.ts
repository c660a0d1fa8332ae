import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it, test } from 'node:test'
import {
  allowsAddress,
  allowsDestination,
  destinationOf,
  egressTo,
  namesPlatform,
  parseEgressAllow,
  parseEgressDeny,
  platformAddress,
  reachesPlatform,
} from './egress.ts'

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

const CREDENTIALS = ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']
const SPELLINGS = [
  ...CREDENTIALS,
  '::ffff:100.100.100.200',
  '::ffff:6464:64c8',
  '::ffff:168.63.129.16',
  'FD00:EC2:0:0:0:0:0:254',
  'fd00:0ec2::0254',
  'fd20:00ce:0::254',
]

test('an allowed name that resolves to the credentials of a cloud is not called, in no spelling (E02)', () => {
  const destination = destinationOf(new URL('https://plugins.example.com/'))
  const rules = parseEgressAllow('plugins.example.com')
  for (const address of SPELLINGS) assert.equal(allowsAddress(rules, destination, address), false, address)
  for (const address of ['100.100.100.201', 'fd00:ec2::253', '168.63.129.17', '93.184.216.34'])
    assert.equal(allowsAddress(rules, destination, address), true, address)
})

test('a wide network does not include the credentials of a cloud, and the address alone does (E02)', () => {
  const wide = parseEgressAllow('http://100.64.0.0/10, http://fd00::/8, http://0.0.0.0/0')
  const destination = destinationOf(new URL('http://plugins.example.com/'))
  for (const address of SPELLINGS.filter((one) => one !== '169.254.169.254'))
    assert.equal(allowsAddress(wide, destination, address), false, address)
  const addresses = ['100.100.100.200', '1684301000', '0x646464c8', '0144.0144.0144.0310', '[fd00:ec2::254]']
  for (const address of addresses) {
    const url = destinationOf(new URL(`http://${address}/`))
    assert.equal(allowsDestination(wide, url), false, address)
    assert.equal(
      allowsDestination(parseEgressAllow('http://100.100.100.200, http://[fd00:ec2::254]'), url),
      true,
      address,
    )
  }
})

test('the server of a setting may be this machine under any name, at its port alone', () => {
  const rules = egressTo('https://platform.example.org/')
  const at = (url: string, address: string): boolean =>
    allowsDestination(rules, destinationOf(new URL(url))) &&
    allowsAddress(rules, destinationOf(new URL(url)), address)
  for (const address of ['127.0.0.1', '127.0.1.1', '::1', '10.0.0.7', '93.184.216.34'])
    assert.equal(at('https://platform.example.org/a', address), true, address)
  assert.equal(at('https://platform.example.org/a', '169.254.169.254'), false)
  assert.equal(at('https://platform.example.org:8443/a', '127.0.0.1'), false)
  assert.equal(at('http://platform.example.org/a', '10.0.0.7'), false)
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
  })

  it('match unless their name does not exist; what cannot be looked up is not known (E02)', async () => {
    const named = () => [{ host: 'console.example.org', port: 7000 }]
    const failingWith = (code: string) =>
      reachesPlatform(named, { address: '10.0.0.1', port: 7000 }, () =>
        Promise.reject(Object.assign(new Error('no answer'), { code })),
      )
    assert.equal(await failingWith('ENOTFOUND'), false)
    for (const code of ['EAI_AGAIN', 'EAI_FAIL']) await assert.rejects(failingWith(code), { code })
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
