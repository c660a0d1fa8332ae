import { lookup as lookupOfSystem } from 'node:dns'
import type { LookupAddress, LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { Pool, buildConnector } from 'undici'
import { allowsDestination, destinationOf, namesPlatform, allowsAddress, reachesPlatform } from './egress.ts'
import type { EgressRule, LookupAll, PlatformAddresses, Destination } from './egress.ts'
import { OutboundError, reasonOf, tlsReasonOf } from './outbound-result.ts'
import type { Outbound, OutboundFailure, ProbeResult } from './outbound-result.ts'
import { unpack, openStream, send } from './outbound-send.ts'

/** Answers all addresses of a name, as `lookup` of `node:dns` does. */
export type Resolver = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

interface OutboundOptions {
  egressAllow: readonly EgressRule[]
  /** Addresses of the platform itself, which are never called; default none. */
  platform?: PlatformAddresses
  /** Default 5,000. */
  connectTimeoutMs?: number
  /** Limits the calls to one origin, so that a slow one cannot use up all sockets; default 64. Streams are not limited. */
  connectionsPerOrigin?: number
  /** Default: the resolver of the system. */
  resolver?: Resolver
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
  resolver: ownResolver = lookupOfSystem,
}: OutboundOptions): Outbound {
  const pools = new Map<string, Pool>()
  const resolver = sharing(ownResolver)
  const lookupPlatform = remembering(resolver)
  const connectorFor = (destination: Destination, timeoutMs: number): buildConnector.connector =>
    egressConnector({ rules: egressAllow, platform, destination, resolver, lookupPlatform, timeoutMs })

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
      connect: connectorFor(destination, connectTimeoutMs),
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
    async probe({ url: text, timeoutMs }) {
      const url = parseUrl(text)
      if (url === null) return { kind: 'failed', reason: 'egress-denied' }
      const destination = destinationOf(url)
      if (!allowsDestination(egressAllow, destination) || namesPlatform(platform, destination))
        return { kind: 'failed', reason: 'egress-denied' }
      return await connectOnce(connectorFor(destination, timeoutMs), url, timeoutMs)
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

/** Opens a connection and closes it. One that comes too late is closed too. */
function connectOnce(connect: buildConnector.connector, url: URL, timeoutMs: number): Promise<ProbeResult> {
  const { hostname, host, protocol, port } = url
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'failed', reason: 'timeout' }), timeoutMs)
    connect({ hostname, host, protocol, port }, (...[error, socket]) => {
      clearTimeout(timer)
      socket?.destroy()
      resolve(
        error === null ? { kind: 'reached' } : { kind: 'failed', reason: reasonOf(error, 'connecting') },
      )
    })
  })
}

/** A user or fragment in an address is an attack or a mistake; neither is ever sent. */
function parseUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  return url.username + url.password === '' && !text.includes('#') ? url : null
}

/**
 * Connects, checks the remote address that was actually reached, and only then starts TLS or the request.
 *
 * All spellings of an address (`0x7f.1`, `[::ffff:127.0.0.1]`, a name that changes between two lookups) end in one
 * remote address, so that is what is checked. The filter on resolved addresses only avoids connections to the ports of
 * forbidden hosts.
 */
function egressConnector({
  rules,
  platform,
  destination,
  resolver,
  lookupPlatform,
  timeoutMs,
}: {
  rules: readonly EgressRule[]
  /** Never connected to, whatever the rules allow. */
  platform: PlatformAddresses
  destination: Destination
  resolver: Resolver
  lookupPlatform: LookupAll
  timeoutMs: number
}): buildConnector.connector {
  const refusalOf = async (address: string): Promise<OutboundFailure | null> => {
    if (!allowsAddress(rules, destination, address)) return 'egress-denied'
    try {
      const isPlatform = await reachesPlatform(platform, { address, port: destination.port }, lookupPlatform)
      return isPlatform ? 'egress-denied' : null
    } catch {
      // not known for the moment, so the call fails as if its own name had no answer
      return 'dns'
    }
  }
  const tcp = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    lookup: allowedLookup(rules, destination, resolver),
  })
  const tls = buildConnector({ timeout: timeoutMs, allowH2: false })
  return (options, callback) => {
    tcp({ ...options, protocol: 'http:', port: String(destination.port) }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      void refusalOf(socket.remoteAddress ?? '').then((reason) => {
        if (reason !== null) {
          socket.destroy()
          return callback(new OutboundError(reason), null)
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

/**
 * Asks for a name once for all connections that are opened meanwhile. The system looks up only a few names at the same time, for all of
 * the process, and a question that nobody answers takes as long as the system waits: those of one name must not hold up the others.
 * A question that fails was asked too early for those that joined it: for them it is asked once more, unless the answer is that there is
 * no such name.
 */
function sharing(resolver: Resolver): Resolver {
  type Asker = Parameters<Resolver>[2]
  const joinedBy = new Map<string, Asker[]>()
  return (hostname, options, callback) => {
    const question = JSON.stringify([hostname, options])
    const ask = (askers: Asker[]): void => {
      const joined: Asker[] = []
      joinedBy.set(question, joined)
      resolver(hostname, options, (error, addresses) => {
        joinedBy.delete(question)
        const isAnswered = error === null || isNotFound(error)
        if (!isAnswered && joined.length > 0) ask(joined)
        for (const one of isAnswered ? [...askers, ...joined] : askers) one(error, addresses)
      })
    }
    const joined = joinedBy.get(question)
    if (joined === undefined) ask([callback])
    else joined.push(callback)
  }
}

/** Whether the answer is that the name has no address. */
const isNotFound = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOTFOUND'

/** A name that cannot be looked up for the moment, such as that of a replica that is stopped, has the addresses that it had last. */
function remembering(resolver: Resolver): LookupAll {
  const lookupAll = promisify(resolver)
  const last = new Map<string, LookupAddress[]>()
  return async (name, options) => {
    try {
      const found = await lookupAll(name, options)
      last.set(name, found)
      return found
    } catch (error) {
      const known = last.get(name)
      if (known === undefined || isNotFound(error)) throw error
      return known
    }
  }
}

function allowedLookup(
  rules: readonly EgressRule[],
  destination: Destination,
  resolver: Resolver,
): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const allowed = addresses.filter(({ address }) => allowsAddress(rules, destination, address))
      const [first] = allowed
      if (first === undefined) return callback(new OutboundError('egress-denied'), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
