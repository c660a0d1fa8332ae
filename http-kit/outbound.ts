import { Pool } from 'undici'
import { allowsDestination, destinationOf } from './egress.ts'
import type { EgressRule } from './egress.ts'
import { egressConnector } from './outbound-connector.ts'
import { unpack } from './outbound-decode.ts'
import { openStream, send } from './outbound-send.ts'
import { namesPlatform } from './platform-addresses.ts'
import type { PlatformAddresses } from './platform-addresses.ts'
import type { Outbound } from './outbound-types.ts'

export interface OutboundOptions {
  egressAllow: readonly EgressRule[]
  /** Addresses of the platform itself, which are never called; default none. */
  platform?: PlatformAddresses
  /** Default 5,000. */
  connectTimeoutMs?: number
  /** Limits the calls to one origin, so that a slow one cannot use up all sockets; default 64. Streams are not limited. */
  connectionsPerOrigin?: number
}

const MAX_RESPONSE_BYTES = 1024 * 1024
const MAX_POOLS = 512

/**
 * Creates the only HTTP client for calls to other services. It follows no redirects, keeps no cookies, and enforces the
 * egress rules on resolved addresses. A request does not throw: it returns `failed` with a reason.
 */
export function createOutbound({
  egressAllow,
  platform = () => [],
  connectTimeoutMs = 5000,
  connectionsPerOrigin = 64,
}: OutboundOptions): Outbound {
  const pools = new Map<string, Pool>()

  const poolFor = (url: URL, use: 'call' | 'stream'): Pool | null => {
    const destination = destinationOf(url)
    if (!allowsDestination(egressAllow, destination) || namesPlatform(platform, destination)) return null
    const key = `${use} ${url.origin}`
    const existing = pools.get(key)
    if (existing !== undefined) return existing
    const oldest = pools.size >= MAX_POOLS ? pools.entries().next().value : undefined
    if (oldest !== undefined) {
      pools.delete(oldest[0])
      void oldest[1].close()
    }
    const pool = new Pool(url.origin, {
      connect: egressConnector({
        rules: egressAllow,
        platform,
        destination,
        timeoutMs: connectTimeoutMs,
      }),
      // a stream occupies its connection, so streams must not block calls
      connections: use === 'call' ? connectionsPerOrigin : null,
      allowH2: false,
      maxHeaderSize: 16 * 1024,
      // `send` enforces one deadline for the whole call
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    pools.set(key, pool)
    return pool
  }

  return {
    async request(request) {
      const url = parseUrl(request.url)
      const pool = url === null ? null : poolFor(url, 'call')
      if (url === null || pool === null) return { kind: 'failed', reason: 'egress-denied' }
      const maxResponseBytes = request.maxResponseBytes ?? MAX_RESPONSE_BYTES
      const result = await send(pool, url, { ...request, maxResponseBytes })
      return result.kind === 'response' ? await unpack(result, maxResponseBytes) : result
    },
    async stream(request) {
      const url = parseUrl(request.url)
      const pool = url === null ? null : poolFor(url, 'stream')
      return url === null || pool === null
        ? { kind: 'failed', reason: 'egress-denied' }
        : await openStream(pool, url, request)
    },
    async close() {
      const closing = [...pools].map(([key, pool]) =>
        key.startsWith('stream ') ? pool.destroy() : pool.close(),
      )
      await Promise.all(closing)
      pools.clear()
    },
  }
}

/** A user or fragment in an address is an attack or a mistake; neither is ever sent. */
function parseUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  return url.username + url.password === '' && !text.includes('#') ? url : null
}
