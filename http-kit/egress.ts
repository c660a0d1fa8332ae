import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { SettingsError } from './settings.ts'

/**
 * An allowed destination of outbound calls. Configured only in the settings of the deployment. Without `isHttpAllowed` calls
 * to other machines are encrypted.
 */
export type EgressRule =
  | { kind: 'loopback' }
  | { kind: 'host'; host: string; port: number | null; isHttpAllowed: boolean }
  | {
      kind: 'network'
      network: [ipaddr.IPv4 | ipaddr.IPv6, number]
      port: number | null
      isHttpAllowed: boolean
    }

/**
 * Parses `EGRESS_ALLOW`: a comma-separated list of `loopback`, `host`, `host:port`, an address with or without a port,
 * or a CIDR such as `10.1.0.0/16` or `[fd00::/8]:8443`; `http://` before an item allows http beside https.
 *
 * @throws SettingsError naming the invalid item.
 */
export function parseEgressAllow(text: string): EgressRule[] {
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
    .map(parseRule)
}

function parseRule(written: string): EgressRule {
  if (written === 'loopback') return { kind: 'loopback' }
  const isHttpAllowed = written.startsWith('http://')
  const item = isHttpAllowed ? written.slice('http://'.length) : written
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(item)
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(item)
  const name = bracketed?.[1] ?? plain?.[1] ?? item
  const portText = bracketed?.[2] ?? plain?.[2]
  const port = portText === undefined ? null : Number(portText)
  if (port === null || (port > 0 && port < 65536)) {
    if (ipaddr.isValidCIDR(name))
      return { kind: 'network', network: ipaddr.parseCIDR(name), port, isHttpAllowed }
    if (isWritten(name)) return { kind: 'network', network: single(name), port, isHttpAllowed }
    const isHost = bracketed === null && /^(?!.*\.\d+$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)
    if (isHost) return { kind: 'host', host: name, port, isHttpAllowed }
  }
  const instead = written.startsWith('https://') ? '; write it without https://, which is always allowed' : ''
  throw new SettingsError(
    `EGRESS_ALLOW is wrong: "${written.slice(0, 100)}" is neither loopback, a host, host:port, an address nor a CIDR${instead}`,
  )
}

function isWritten(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

function single(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/**
 * The rules that allow the server of a URL of the deployment, for a client that requests nothing else. Unlike a host in
 * `EGRESS_ALLOW`, its name may lead to this machine: to a proxy here, or as Debian's `127.0.1.1` for the name of a machine.
 */
export function egressTo(url: string): EgressRule[] {
  const { hostname, port, protocol } = new URL(url)
  const isHttp = protocol === 'http:'
  const at = port === '' ? (isHttp ? '80' : '443') : port
  return parseEgressAllow(`${isHttp ? 'http://' : ''}${hostname}:${at},127.0.0.0/8:${at},[::1]:${at}`)
}

export interface Destination {
  protocol: string
  /** The URL's host name, lower case, without brackets. */
  host: string
  port: number
}

export function destinationOf(url: URL): Destination {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { protocol: url.protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

/** Where an allowed name may resolve to: a public or a private network. */
const BEHIND_A_NAME = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'])

/** Where clouds answer every machine with its credentials, in networks that are otherwise ordinary. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'])

/**
 * Whether a connection for `destination` that has reached `address` may be used.
 *
 * A loopback or network rule allows addresses, whatever their names. A host rule allows a name that resolves to any
 * public or private network. Because names can be made to resolve to anything, a host rule never allows this machine
 * (except for `localhost`), addresses where clouds expose credentials (link-local ones and METADATA), or special-purpose
 * addresses. A network rule allows an address of METADATA only if it names that address alone.
 */
export function allowsAddress(
  rules: readonly EgressRule[],
  destination: Destination,
  address: string,
): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  const range = ip.range()
  const isMetadata = METADATA.has(ip.toString())
  return rules.some((rule) => {
    if (rule.kind === 'loopback') return range === 'loopback'
    if (rule.port !== null && rule.port !== destination.port) return false
    if (destination.protocol === 'http:' && !rule.isHttpAllowed && range !== 'loopback') return false
    if (rule.kind === 'network') {
      const isSingle = rule.network[1] === (ip.kind() === 'ipv4' ? 32 : 128)
      return ip.kind() === rule.network[0].kind() && ip.match(rule.network) && (isSingle || !isMetadata)
    }
    if (rule.host !== destination.host || isMetadata) return false
    return BEHIND_A_NAME.has(range) || (range === 'loopback' && rule.host === 'localhost')
  })
}

/** Whether any address could be allowed for a destination, before the name is resolved or the port contacted. */
export function allowsDestination(rules: readonly EgressRule[], destination: Destination): boolean {
  if (ipaddr.isValid(destination.host)) return allowsAddress(rules, destination, destination.host)
  return rules.some((rule) => {
    if (rule.kind === 'loopback') return true
    if (rule.port !== null && rule.port !== destination.port) return false
    if (rule.kind === 'host' && rule.host === 'localhost') return destination.host === 'localhost'
    if (destination.protocol === 'http:' && !rule.isHttpAllowed) return false
    return rule.kind === 'network' || rule.host === destination.host
  })
}

/** Where a part of the platform itself listens: its runtime, its console, its database. */
export interface PlatformAddress {
  /** A host name or an address; null for this machine, under any name. */
  host: string | null
  port: number
}

/** Evaluated on each use: a port that the system chooses is known only once its server listens. */
export type PlatformAddresses = () => readonly PlatformAddress[]

/**
 * Parses `EGRESS_DENY`: a comma-separated list of `host:port` and `address:port`.
 *
 * @throws SettingsError naming the invalid item.
 */
export function parseEgressDeny(text: string): PlatformAddress[] {
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
    .map((item) => {
      const url = URL.parse(`http://${item}`)
      const port = Number(/:(\d{1,5})$/.exec(item)?.[1])
      const isHostAndPort = url !== null && /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):\d+$/.test(item)
      if (isHostAndPort && port > 0 && port < 65_536) return platformAddress(url.hostname, port)
      throw new SettingsError(`EGRESS_DENY is wrong: "${item.slice(0, 100)}" is not host:port`)
    })
}

/** A part of the platform by its host; the directory of a Unix socket means this machine. */
export function platformAddress(host: string, port: number): PlatformAddress {
  const name = nameOf(host)
  const isHere = name.startsWith('/') || isLocalName(name) || (ipaddr.isValid(name) && isThisMachine(name))
  return { host: isHere ? null : name, port }
}

/** Whether a destination is part of the platform judging by its URL, before any lookup. */
export function namesPlatform(addresses: PlatformAddresses, { host, port }: Destination): boolean {
  const name = nameOf(host)
  return addresses().some((one) => {
    if (one.port !== port) return false
    if (!ipaddr.isValid(name)) return one.host === null ? isLocalName(name) : one.host === name
    return one.host === null ? isThisMachine(name) : isSame(one.host, name)
  })
}

/** The addresses of a name, as `lookup` of `node:dns/promises` answers them. */
export type LookupAll = (name: string, options: { all: true }) => Promise<{ address: string }[]>

/**
 * Whether a connection that has reached `address` and `port` has reached a part of the platform. Throws what the lookup throws if it
 * cannot tell, because a name of the platform at that port cannot be looked up at the moment. A name that does not exist leads nowhere.
 */
export async function reachesPlatform(
  addresses: PlatformAddresses,
  { address, port }: { address: string; port: number },
  lookupAll: LookupAll = lookup,
): Promise<boolean> {
  for (const { host } of addresses().filter((one) => one.port === port)) {
    if (host === null ? isThisMachine(address) : isSame(host, address)) return true
    if (host === null || ipaddr.isValid(host)) continue
    const found = await lookupAll(host, { all: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND') return []
      throw error
    })
    if (found.some((one) => isSame(one.address, address))) return true
    if (found.some((one) => isThisMachine(one.address)) && isThisMachine(address)) return true
  }
  return false
}

function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function isSame(one: string, other: string): boolean {
  if (!ipaddr.isValid(one) || !ipaddr.isValid(other)) return one === other
  const [first, second] = [ipaddr.process(one), ipaddr.process(other)]
  return first.kind() === second.kind() && first.toByteArray().join() === second.toByteArray().join()
}

function isThisMachine(address: string): boolean {
  const range = ipaddr.process(address).range()
  if (range === 'loopback' || range === 'unspecified') return true
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((one) => isSame(one.address, address)),
  )
}
