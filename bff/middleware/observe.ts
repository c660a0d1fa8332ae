import type { MiddlewareHandler } from 'hono'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { SessionVariables } from './session.ts'

/** Logs each request by its endpoint, without path, query, body or headers; successful reads at `debug`. */
export function observeRequests(options: {
  log: Log
  clock: Pick<Clock, 'monotonic'>
}): MiddlewareHandler<{ Variables: Partial<SessionVariables> }> {
  const { log, clock } = options
  return async (c, next) => {
    const start = clock.monotonic()
    await next()
    const { endpoint = 'none', errorCode, requestId, person } = c.var
    const { status } = c.res
    const fields = {
      endpoint,
      method: c.req.method,
      status,
      errorCode,
      actorId: person?.id,
      requestId,
      ms: Math.round((clock.monotonic() - start) * 10) / 10,
    }
    const isQuiet = (c.req.method === 'GET' || c.req.method === 'HEAD') && status < 400
    if (isQuiet) log.debug('request', fields)
    else log.info('request', fields)
  }
}
