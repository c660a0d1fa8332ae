import type pg from 'pg'
import type { MiddlewareHandler } from 'hono'
import type { Clock } from '#http-kit/clock.ts'
import type { Gauge, Metrics } from '#http-kit/metrics.ts'
import type { Log } from '#http-kit/log.ts'
import type { SessionVariables } from './session/sessions.ts'
import type { RuntimeVerdict } from './runtime/check-runtime.ts'

/** The help text of each metric of the console. */
export const CONSOLE_METRIC_HELP: Readonly<Record<string, string>> = {
  bundle_console_http_requests_total: 'Requests by endpoint, status and error code.',
  bundle_console_http_request_seconds: 'Duration of requests by endpoint.',
  bundle_console_policy_violations_total:
    'Violations of the content policy that browsers reported, by directive.',
  bundle_console_database_up: '1 if the database responded just now.',
  bundle_console_runtime_accepts:
    '1 if the runtime accepts the credential and the key of this console, 0 if it refuses them.',
  bundle_console_runtime_reachable: '1 if the runtime responded to the last check of this console.',
  bundle_console_database_connections: 'Connections by state.',
  bundle_console_database_waiting: 'Requests that wait for a connection.',
  bundle_console_clock_ahead_seconds: "How far the clock of this machine is ahead of the database's.",
}

/** What this console knows about itself. */
export function consoleGauges(state: {
  isDatabaseUp: boolean
  pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> | null
  /** Null if the runtime is not checked. */
  verdict: RuntimeVerdict | null
  /** Null if the runtime is not checked, or was not yet. */
  isRuntimeReachable: boolean | null
  /** Null if the clock of the database was not read yet. */
  clockAheadMs: number | null
}): Gauge[] {
  const gauge = (name: string, value: number, labels: Gauge['labels'] = {}): Gauge => ({
    name: `bundle_console_${name}`,
    labels,
    value,
  })
  const { pool, verdict, isRuntimeReachable, clockAheadMs } = state
  return [
    gauge('database_up', Number(state.isDatabaseUp)),
    ...(pool === null
      ? []
      : [
          gauge('database_connections', pool.totalCount - pool.idleCount, { state: 'used' }),
          gauge('database_connections', pool.idleCount, { state: 'idle' }),
          gauge('database_waiting', pool.waitingCount),
        ]),
    ...(clockAheadMs === null ? [] : [gauge('clock_ahead_seconds', clockAheadMs / 1000)]),
    ...(isRuntimeReachable === null ? [] : [gauge('runtime_reachable', Number(isRuntimeReachable))]),
    // while the runtime is unavailable it is not known
    ...(verdict === null || verdict === 'unavailable'
      ? []
      : [gauge('runtime_accepts', Number(verdict === 'accepted'))]),
  ]
}

/** What probes and Prometheus ask for: not requests of people. */
const MACHINES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

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
    const { errorCode, requestId, person } = c.var
    const endpoint = c.var.endpoint ?? (MACHINES.has(c.req.path) ? 'health' : 'none')
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
