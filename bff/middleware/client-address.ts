import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/**
 * The address to count a request by. `X-Forwarded-For` can be written by anybody, so only what the known proxies have
 * appended counts: with `hops` proxies in front, the entry that many from the right. Of IPv6, the network (/64).
 */
export function clientAddress(
  incoming: Pick<IncomingMessage, 'headers' | 'socket'> | undefined,
  hops: number,
): string {
  const own = incoming?.socket.remoteAddress ?? ''
  const forwarded = String(incoming?.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
  const address = hops > 0 ? (forwarded.at(-hops) ?? own) : own
  if (!ipaddr.isValid(address)) return own
  const ip = ipaddr.process(address)
  if (ip.kind() === 'ipv4') return ip.toString()
  return `${ip.toByteArray().slice(0, 8).join('.')}/64`
}
