import type { MiddlewareHandler } from 'hono'
import { ConsoleFailure } from '../failure.ts'

const SAFE = new Set(['GET', 'HEAD'])
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Whether a request comes from our own origin. The browser's own word (`Sec-Fetch-Site`) decides where it is given;
 * else `Origin` must be the configured one, never what `Host` says. A request with neither is nobody's.
 */
export function isSameOrigin(
  headers: { site: string | undefined; origin: string | undefined },
  publicOrigin: string,
): boolean {
  if (headers.site !== undefined) return headers.site === 'same-origin'
  return headers.origin === publicOrigin
}

/**
 * The check before all routes, without exception: there is no list of routes that have it, so none can be forgotten.
 *
 * - Other methods than the six that we have: 405. So no CORS permission is ever given.
 * - Writes come from our own origin, carry `X-Requested-By: console`, and a body, if any, is JSON.
 * - All of `/api` carries the header, reads too, and is asked for by scripts only, never as document, image or frame.
 * - A session cookie and an `Authorization` header together: nobody knows who is meant, 400.
 *
 * The identity provider's callback and sign-in are GETs, which have protections of their own (state, browser binding).
 */
export function provenance({ publicOrigin }: { publicOrigin: string }): MiddlewareHandler {
  return async (c, next) => {
    const { method } = c.req
    const isApi = /^\/api(?:\/|$)/.test(c.req.path)
    const isWrite = UNSAFE.has(method)
    if (!isWrite && !SAFE.has(method)) throw new ConsoleFailure('METHOD_NOT_ALLOWED')

    const site = c.req.header('sec-fetch-site')
    const destination = c.req.header('sec-fetch-dest')
    if (isWrite && !isSameOrigin({ site, origin: c.req.header('origin') }, publicOrigin)) throw foreign()
    if (isApi && site !== undefined && site !== 'same-origin') throw foreign()
    if (isApi && destination !== undefined && destination !== 'empty') throw foreign()
    if ((isApi || isWrite) && c.req.header('x-requested-by') !== 'console') throw foreign()
    if (isApi && c.req.header('authorization') !== undefined) {
      throw new ConsoleFailure('REQUEST_INVALID', { message: 'The console takes no Authorization header.' })
    }
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
  return new ConsoleFailure('PERMISSION_DENIED', { message: 'This request did not come from the console.' })
}
