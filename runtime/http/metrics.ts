import { statfsSync } from 'node:fs'
import type { MiddlewareHandler } from 'hono'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Gauge, Labels, Metrics } from '#http-kit/metrics.ts'
import type { Log } from '#http-kit/log.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'
import type { Db } from '../model/db.ts'
import type { WorkerStatus } from '../model/worker-status.ts'
import type { Position } from '../store/events.ts'
import { readDatabaseSize, readLags } from '../store/overview/gauges.ts'
import { countClaims } from '../store/overview/summary.ts'
import { readRetention } from '../store/retention/retention-row.ts'
import type { RetentionState } from '../store/retention/retention-row.ts'
import type { HttpVariables } from './http-app.ts'

/** The help text of each metric of the runtime. */
export const RUNTIME_METRIC_HELP: Readonly<Record<string, string>> = {
  bundle_runtime_http_requests_total: 'Requests by endpoint, status and error code.',
  bundle_runtime_http_request_seconds: 'Duration of requests by endpoint.',
  bundle_runtime_plugin_calls_total: 'Plugin calls that ended, by result.',
  bundle_runtime_plugin_call_seconds: 'Duration of plugin calls.',
  bundle_runtime_plugin_calls_in_flight: 'Plugin calls that wait for their response.',
  bundle_runtime_operations: 'Operations that hold a claim, by state; the same on every replica.',
  bundle_runtime_operations_paused:
    'Unfinished operations that a pause of them, of their scope or of a plugin holds; the same on every replica.',
  bundle_runtime_operations_in_doubt:
    'Operations that were in progress when the database went back in time; the same on every replica.',
  bundle_runtime_oldest_due_seconds:
    'How long the oldest due operation has waited for a worker; the same on every replica.',
  bundle_runtime_oldest_lock_seconds:
    'Age of the oldest operation that locks its installation; the same on every replica.',
  bundle_runtime_oldest_unassigned_failure_seconds:
    'How long ago the oldest operation failed that has no assignee; the same on every replica.',
  bundle_runtime_event_lag_seconds: 'Age of the oldest event that this replica has not delivered.',
  bundle_runtime_retention_removed_total:
    'What retention has removed, by kind; the same on every replica, as are all metrics of retention.',
  bundle_runtime_retention_failures_total: 'Runs of retention that failed and were repeated.',
  bundle_runtime_retention_overdue_seconds:
    'Since when a run of retention is due or in progress; 0 between runs.',
  bundle_runtime_retention_last_run_seconds: 'How long ago the last run of retention ended.',
  bundle_runtime_oldest_finished_seconds: 'How long ago the oldest finished operation ended.',
  bundle_runtime_listening: '1 while this replica receives notifications of other replicas.',
  bundle_runtime_clock_ahead_seconds: "How far the clock of this machine is ahead of the database's.",
  bundle_runtime_database_up: '1 if the database responded just now.',
  bundle_runtime_database_bytes: 'Size of the database; the same on every replica.',
  bundle_runtime_data_free_bytes: 'Free space of DATA_DIR, which also contains the embedded database.',
  bundle_runtime_data_size_bytes: 'Size of the file system of DATA_DIR.',
  bundle_runtime_database_full:
    '1 from a statement that failed for lack of disk space until the database can grow again.',
  bundle_runtime_database_lock_wait_seconds:
    'How long the longest wait for a lock has lasted; 0 if no session waits; the same on every replica.',
  bundle_runtime_standby_reads_total:
    'Reads that the standby could serve, by result: served, or why the primary did.',
  bundle_runtime_standby_used: '1 while the standby of DATABASE_READ_URL serves reads.',
  bundle_runtime_database_connections: 'Connections by pool and state.',
  bundle_runtime_database_waiting: 'Requests that wait for a connection, by pool.',
  bundle_runtime_worker_operations_held: 'Operations leased by this worker.',
  bundle_runtime_worker_lease_polls_total: 'Polls that leased operations.',
  bundle_runtime_worker_leased_operations_total: 'Operations that polls leased.',
  bundle_runtime_worker_batches_total: 'Transactions that advanced several operations.',
  bundle_runtime_worker_advanced_operations_total: 'Operations advanced, in batches or alone.',
  bundle_runtime_worker_leases_lost_total: 'Leases lost during work.',
  bundle_runtime_worker_plugin_troubled: '1 for each plugin that left several calls unanswered.',
}

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

interface CountedCalls extends Outbound {
  /** Calls that are waiting for a response. */
  inFlight(): number
}

/**
 * Counts and times the worker's plugin calls by result. There is no label for the plugin, because there may be many.
 */
export function countCalls(http: Outbound, metrics: Metrics, monotonic: () => number): CountedCalls {
  let inFlight = 0
  return {
    ...http,
    inFlight: () => inFlight,
    async request(request) {
      const start = monotonic()
      inFlight++
      const result = await http.request(request).finally(() => inFlight--)
      const outcome = result.kind === 'response' ? `${Math.floor(result.status / 100)}xx` : result.reason
      metrics.count('bundle_runtime_plugin_calls_total', { result: outcome })
      metrics.observe('bundle_runtime_plugin_call_seconds', {}, (monotonic() - start) / 1000)
      return result
    },
  }
}

/** The counts of a connection pool, as `pg.Pool` has them. */
interface PoolCounts {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** What this replica knows about itself, even while the database is unavailable. */
export function replicaGauges(replica: {
  pools: Readonly<Record<string, PoolCounts>>
  isListening: boolean
  dataDir: string
  callsInFlight: number
  /** Null if this replica runs no worker. */
  worker: WorkerStatus | null
  /** Null if the clock of the database was not read yet. */
  clockAheadMs: number | null
}): Gauge[] {
  const pools = Object.entries(replica.pools).flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
    {
      name: 'bundle_runtime_database_connections',
      labels: { pool, state: 'used' },
      value: totalCount - idleCount,
    },
    { name: 'bundle_runtime_database_connections', labels: { pool, state: 'idle' }, value: idleCount },
    { name: 'bundle_runtime_database_waiting', labels: { pool }, value: waitingCount },
  ])
  return [
    ...pools,
    ...(replica.clockAheadMs === null
      ? []
      : [{ name: 'bundle_runtime_clock_ahead_seconds', labels: {}, value: replica.clockAheadMs / 1000 }]),
    { name: 'bundle_runtime_listening', labels: {}, value: Number(replica.isListening) },
    ...diskGauges(replica.dataDir),
    { name: 'bundle_runtime_plugin_calls_in_flight', labels: {}, value: replica.callsInFlight },
    ...(replica.worker === null ? [] : workerGauges(replica.worker)),
  ]
}

/** The size of a file system, and what a process without special rights can still write on it. */
function diskGauges(directory: string): Gauge[] {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return [
    { name: 'bundle_runtime_data_free_bytes', labels: {}, value: bavail * bsize },
    { name: 'bundle_runtime_data_size_bytes', labels: {}, value: blocks * bsize },
  ]
}

function workerGauges(worker: WorkerStatus): Gauge[] {
  const since = (name: string, value: number, labels: Labels = {}): Gauge => ({
    name: `bundle_runtime_worker_${name}`,
    labels,
    value,
  })
  return [
    since('operations_held', worker.held),
    since('lease_polls_total', worker.leasePolls),
    since('leased_operations_total', worker.leased),
    since('batches_total', worker.batches),
    since('advanced_operations_total', worker.advanced, { way: 'batch' }),
    since('advanced_operations_total', worker.advancedAlone, { way: 'alone' }),
    since('leases_lost_total', worker.leasesLost),
    // only plugins with an open breaker have a series: there may be many plugins, but few in trouble
    ...worker.troubledPlugins.map((plugin) => since('plugin_troubled', 1, { plugin })),
  ]
}

/** What only the database knows. Covers all replicas, except for the lag of this replica's feed. */
export async function databaseGauges(db: Db, passedOn: Position | null): Promise<Gauge[]> {
  const [claims, lags, retention, bytes] = await Promise.all([
    countClaims(db),
    readLags(db, passedOn),
    readRetention(db),
    readDatabaseSize(db),
  ])
  const operations = CLAIM_STATES.map((state) => ({
    name: 'bundle_runtime_operations',
    labels: { state },
    value: claims.find((claim) => claim.state === state)?.count ?? 0,
  }))
  return [
    ...operations,
    { name: 'bundle_runtime_operations_paused', labels: {}, value: lags.paused },
    { name: 'bundle_runtime_operations_in_doubt', labels: {}, value: lags.inDoubt },
    { name: 'bundle_runtime_oldest_due_seconds', labels: {}, value: lags.due },
    { name: 'bundle_runtime_oldest_lock_seconds', labels: {}, value: lags.lock },
    { name: 'bundle_runtime_oldest_unassigned_failure_seconds', labels: {}, value: lags.unassigned },
    { name: 'bundle_runtime_event_lag_seconds', labels: {}, value: lags.feed },
    { name: 'bundle_runtime_database_bytes', labels: {}, value: bytes },
    { name: 'bundle_runtime_database_lock_wait_seconds', labels: {}, value: lags.lockWait },
    ...retentionGauges(retention),
  ]
}

function retentionGauges({
  failures,
  overdue,
  sinceCompleted,
  oldestFinished,
  ...removed
}: RetentionState): Gauge[] {
  const since = (name: string, value: number | null): Gauge[] =>
    value === null ? [] : [{ name: `bundle_runtime_${name}`, labels: {}, value }]
  return [
    ...Object.entries(removed).map(([kind, value]) => ({
      name: 'bundle_runtime_retention_removed_total',
      labels: { kind },
      value,
    })),
    ...since('retention_failures_total', failures),
    ...since('retention_overdue_seconds', overdue),
    ...since('retention_last_run_seconds', sinceCompleted),
    ...since('oldest_finished_seconds', oldestFinished),
  ]
}
