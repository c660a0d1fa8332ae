import type { MiddlewareHandler } from 'hono'
import { systemClock } from './clock.ts'
import { uuidv7 } from './ids.ts'
import { systemRandom } from './random.ts'

export interface RequestIdVariables {
  requestId: string
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Gives each request an id: `c.var.requestId` and the response header `X-Request-Id`.
 *
 * `trustInbound` keeps a well-formed id that the caller sent. Only the runtime sets it, whose only caller is the BFF:
 * an id chosen by a browser could forge the trail in logs and audit.
 */
export function requestId({
  trustInbound,
}: {
  trustInbound: boolean
}): MiddlewareHandler<{ Variables: RequestIdVariables }> {
  return async (c, next) => {
    const inbound = trustInbound ? c.req.header('x-request-id') : undefined
    const id =
      inbound !== undefined && WELL_FORMED.test(inbound)
        ? inbound
        : uuidv7({ clock: systemClock, random: systemRandom })
    c.set('requestId', id)
    await next()
    // not c.header, which rebuilds the whole response
    c.res.headers.set('X-Request-Id', id)
  }
}
