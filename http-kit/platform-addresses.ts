import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import type { Destination } from './egress.ts'
import { SettingsError } from './settings.ts'

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

/** Whether a connection that has reached `address` and `port` has reached a part of the platform. */
export async function reachesPlatform(
  addresses: PlatformAddresses,
  { address, port }: { address: string; port: number },
): Promise<boolean> {
  for (const { host } of addresses().filter((one) => one.port === port)) {
    if (host === null ? isThisMachine(address) : isSame(host, address)) return true
    if (host === null || ipaddr.isValid(host)) continue
    const found = await lookup(host, { all: true }).catch(() => [])
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
