import { lookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { allowsAddress } from './egress.ts'
import type { Destination, EgressRule } from './egress.ts'
import { OutboundError, tlsReasonOf } from './outbound-reason.ts'
import { reachesPlatform } from './platform-addresses.ts'
import type { PlatformAddresses } from './platform-addresses.ts'

/**
 * Connects, checks the remote address that was actually reached, and only then starts TLS or the request.
 *
 * All spellings of an address (`0x7f.1`, `[::ffff:127.0.0.1]`, a name that changes between two lookups) end in one
 * remote address, so that is what is checked. The filter on resolved addresses only avoids connections to the ports of
 * forbidden hosts.
 */
export function egressConnector({
  rules,
  platform,
  destination,
  timeoutMs,
}: {
  rules: readonly EgressRule[]
  /** Never connected to, whatever the rules allow. */
  platform: PlatformAddresses
  destination: Destination
  timeoutMs: number
}): buildConnector.connector {
  const mayUse = async (address: string): Promise<boolean> =>
    allowsAddress(rules, destination, address) &&
    !(await reachesPlatform(platform, { address, port: destination.port }))
  const tcp = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    lookup: allowedLookup(rules, destination),
  })
  const tls = buildConnector({ timeout: timeoutMs, allowH2: false })
  return (options, callback) => {
    tcp({ ...options, protocol: 'http:', port: String(destination.port) }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      void mayUse(socket.remoteAddress ?? '').then((isAllowed) => {
        if (!isAllowed) {
          socket.destroy()
          return callback(new OutboundError('egress-denied'), null)
        }
        if (destination.protocol !== 'https:') return callback(null, socket)
        tls({ ...options, httpSocket: socket }, (...[tlsError, secured]) => {
          if (tlsError === null) return callback(null, secured)
          socket.destroy()
          callback(new OutboundError(tlsReasonOf(tlsError), tlsError), null)
        })
      })
    })
  }
}

function allowedLookup(rules: readonly EgressRule[], destination: Destination): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, [])
      const allowed = addresses.filter(({ address }) => allowsAddress(rules, destination, address))
      const [first] = allowed
      if (first === undefined) return callback(new OutboundError('egress-denied'), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
