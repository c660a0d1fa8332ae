import { statfsSync } from 'node:fs'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { Position } from '../store/events.ts'
import { countClaims } from '../store/overview/summary.ts'
import { readDatabaseSize, readLags } from '../store/overview/gauges.ts'
import { readRetention } from '../store/retention/retention-row.ts'
import type { RetentionState } from '../store/retention/retention-row.ts'
import type { Db } from '../model/db.ts'
import type { Gauge, Labels } from '#http-kit/gauge.ts'
import type { WorkerStatus } from '../model/worker-status.ts'

/** The counts of a connection pool, as `pg.Pool` has them. */
export interface PoolCounts {
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
    { name: 'bundle_runtime_data_free_bytes', labels: {}, value: freeBytes(replica.dataDir) },
    { name: 'bundle_runtime_plugin_calls_in_flight', labels: {}, value: replica.callsInFlight },
    ...(replica.worker === null ? [] : workerGauges(replica.worker)),
  ]
}

/** What a process without special rights can still write. */
function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
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
    { name: 'bundle_runtime_operations_in_doubt', labels: {}, value: lags.inDoubt },
    { name: 'bundle_runtime_oldest_due_seconds', labels: {}, value: lags.due },
    { name: 'bundle_runtime_oldest_lock_seconds', labels: {}, value: lags.lock },
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
