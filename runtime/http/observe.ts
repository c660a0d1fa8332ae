import type { MiddlewareHandler } from 'hono'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Metrics } from '#http-kit/metrics.ts'
import type { HttpVariables } from './http-app.ts'

/** Counts each request by row and status, and logs it without path parameters, query or body. */
export function observeRequests(options: {
  log: Log
  metrics: Metrics
  clock: Pick<Clock, 'monotonic'>
}): MiddlewareHandler<{ Variables: HttpVariables }> {
  const { log, metrics, clock } = options
  return async (c, next) => {
    const start = clock.monotonic()
    c.set('endpoint', 'none')
    c.set('errorCode', '')
    c.set('actorId', '')
    await next()
    const { endpoint, errorCode, actorId, requestId } = c.var
    const { status } = c.res
    const ms = clock.monotonic() - start
    metrics.count('bundle_runtime_http_requests_total', { endpoint, status, code: errorCode })
    metrics.observe('bundle_runtime_http_request_seconds', { endpoint }, ms / 1000)
    const fields = { endpoint, status, errorCode, actorId, requestId, ms: Math.round(ms * 10) / 10 }
    // successful reads are frequent and of little interest
    if (c.req.method === 'GET' && status === 200 && (errorCode === '0' || errorCode === ''))
      log.debug('request', fields)
    else log.info('request', fields)
  }
}
