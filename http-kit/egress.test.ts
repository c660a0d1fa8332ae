import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowsAddress, allowsDestination, destinationOf, egressTo, parseEgressAllow } from './egress.ts'

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
