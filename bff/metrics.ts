import type pg from 'pg'
import type { Gauge } from '#http-kit/gauge.ts'
import type { RuntimeVerdict } from './check-runtime.ts'

/** The help text of each metric of the console. */
export const CONSOLE_METRIC_HELP: Readonly<Record<string, string>> = {
  bundle_console_http_requests_total: 'Requests by endpoint, status and error code.',
  bundle_console_http_request_seconds: 'Duration of requests by endpoint.',
  bundle_console_database_up: '1 if the database responded just now.',
  bundle_console_runtime_accepts:
    '1 if the runtime accepts the credential and the key of this console, 0 if it refuses them.',
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
  /** Null if the clock of the database was not read yet. */
  clockAheadMs: number | null
}): Gauge[] {
  const gauge = (name: string, value: number, labels: Gauge['labels'] = {}): Gauge => ({
    name: `bundle_console_${name}`,
    labels,
    value,
  })
  const { pool, verdict, clockAheadMs } = state
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
    // while the runtime is unavailable it is not known
    ...(verdict === null || verdict === 'unavailable'
      ? []
      : [gauge('runtime_accepts', Number(verdict === 'accepted'))]),
  ]
}
