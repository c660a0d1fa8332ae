import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

type Incoming = Pick<IncomingMessage, 'headers' | 'socket'> | undefined

/** The address that a request is rate-limited by: the client's, or its /64 network for IPv6. */
export function rateLimitAddress(incoming: Incoming, hops: number): string {
  const address = clientAddress(incoming, hops)
  if (!ipaddr.isValid(address)) return address
  const ip = ipaddr.process(address)
  return ip.kind() === 'ipv4' ? address : `${ip.toByteArray().slice(0, 8).join('.')}/64`
}

/**
 * The address that a request comes from, for the audit. Anyone can send `X-Forwarded-For`, so only what the
 * known proxies have appended counts: with `hops` proxies in front, the entry at that position from the right.
 */
export function clientAddress(incoming: Incoming, hops: number): string {
  const peer = incoming?.socket.remoteAddress ?? ''
  const forwarded = String(incoming?.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
  const address = hops > 0 ? (forwarded.at(-hops) ?? peer) : peer
  if (ipaddr.isValid(address)) return ipaddr.process(address).toString()
  return ipaddr.isValid(peer) ? ipaddr.process(peer).toString() : peer
}
