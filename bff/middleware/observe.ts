import type { MiddlewareHandler } from 'hono'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Metrics } from '#http-kit/metrics.ts'
import type { SessionVariables } from './session.ts'

/** Logs each request by its endpoint, without path, query, body or headers; successful reads at `debug`. */
export function observeRequests(options: {
  log: Log
  metrics: Metrics
  clock: Pick<Clock, 'monotonic'>
}): MiddlewareHandler<{ Variables: Partial<SessionVariables> }> {
  const { log, metrics, clock } = options
  return async (c, next) => {
    const start = clock.monotonic()
    await next()
    const { endpoint = 'none', errorCode, requestId, person } = c.var
    const { status } = c.res
    const ms = clock.monotonic() - start
    metrics.count('bundle_console_http_requests_total', { endpoint, status, code: errorCode ?? '' })
    metrics.observe('bundle_console_http_request_seconds', { endpoint }, ms / 1000)
    const fields = {
      endpoint,
      method: c.req.method,
      status,
      errorCode,
      actorId: person?.id,
      requestId,
      ms: Math.round(ms * 10) / 10,
    }
    const isQuiet = (c.req.method === 'GET' || c.req.method === 'HEAD') && status < 400
    if (isQuiet) log.debug('request', fields)
    else log.info('request', fields)
  }
}
