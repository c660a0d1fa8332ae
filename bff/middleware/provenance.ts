import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import ipaddr from 'ipaddr.js'
import { ConsoleFailure } from '../failure.ts'

const SAFE = new Set(['GET', 'HEAD'])
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Whether a request comes from our own origin. `Sec-Fetch-Site` decides if the browser sends it; otherwise
 * `Origin` must be the configured origin. `Host` is never trusted. A request with neither header is refused.
 */
export function isSameOrigin(
  headers: { site: string | undefined; origin: string | undefined },
  publicOrigin: string,
): boolean {
  if (headers.site !== undefined) return headers.site === 'same-origin'
  return headers.origin === publicOrigin
}

/**
 * The check before all routes, without exception: there is no list of routes, so none can be forgotten.
 *
 * - Methods other than our six get 405, so no CORS permission is ever granted.
 * - Writes come from our own origin, carry `X-Requested-By: console`, and a body, if any, is JSON.
 * - All requests to `/api`, reads too, carry the header and come from scripts, never from a document, image or frame.
 * - A request to `/api` with an `Authorization` header is that of a program, which no page can make a browser send to us: it
 *   needs no header of the console and comes from no page. With a cookie it gets 400, because whose it is would be ambiguous.
 *
 * The identity provider's callback and sign-in are GETs with their own protection (state, browser binding). What browsers report about
 * the content policy is received before this check (`bff/routes/policy-reports.ts`): browsers send it without our header.
 */
export function provenance({ publicOrigin }: { publicOrigin: string }): MiddlewareHandler {
  return async (c, next) => {
    const { method } = c.req
    const isApi = /^\/api(?:\/|$)/.test(c.req.path)
    const isWrite = UNSAFE.has(method)
    if (!isWrite && !SAFE.has(method)) throw new ConsoleFailure('METHOD_NOT_ALLOWED')

    const site = c.req.header('sec-fetch-site')
    const destination = c.req.header('sec-fetch-dest')
    const isProgram = isApi && c.req.header('authorization') !== undefined
    if (isProgram && c.req.header('cookie') !== undefined)
      throw new ConsoleFailure('REQUEST_INVALID', {
        message: 'A request has either an Authorization header or a cookie, not both.',
      })
    const origin = c.req.header('origin')
    const isOwn = isProgram && site === undefined && origin === undefined
    if (isWrite && !isOwn && !isSameOrigin({ site, origin }, publicOrigin)) throw foreign()
    if (isApi && site !== undefined && site !== 'same-origin') throw foreign()
    if (isApi && destination !== undefined && destination !== 'empty') throw foreign()
    if ((isApi || isWrite) && !isProgram && c.req.header('x-requested-by') !== 'console') throw unmarked()
    if (isWrite && hasBody(c.req.raw.headers) && !isJson(c.req.header('content-type'))) {
      throw new ConsoleFailure('UNSUPPORTED_MEDIA_TYPE')
    }
    await next()
  }
}

function hasBody(headers: Headers): boolean {
  return Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding')
}

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

function foreign(): ConsoleFailure {
  return new ConsoleFailure('PERMISSION_DENIED', {
    message: 'This request did not come from the console.',
    remedy: 'Use the console itself. A program sends the token of a service account instead.',
  })
}

function unmarked(): ConsoleFailure {
  return new ConsoleFailure('PERMISSION_DENIED', {
    message: 'The request has no header “X-Requested-By: console”; no role is missing.',
    remedy:
      'Add the header to a request with a session cookie, or send the token of a service account instead.',
  })
}

/** Paths for machines, which use an address instead of the public name. */
const MACHINE_PATHS = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Serves the console only under its public name: cookies and sign-in belong to it, and a foreign `Host` may
 * come from DNS rebinding. A page that is requested under another name (`127.0.0.1` for `localhost`) redirects
 * to the public one.
 */
export function publicHost({ publicOrigin }: { publicOrigin: string }): MiddlewareHandler {
  const { host } = new URL(publicOrigin)
  return async (c, next) => {
    const isPublic = c.req.header('host')?.toLowerCase() === host || MACHINE_PATHS.has(c.req.path)
    if (isPublic) return next()
    const isPage = c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')
    if (isPage && !c.req.path.startsWith('/api/')) {
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(publicOrigin + pathname + search, 307)
    }
    throw new ConsoleFailure('REQUEST_INVALID', { message: `The console is served only at ${publicOrigin}.` })
  }
}

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
