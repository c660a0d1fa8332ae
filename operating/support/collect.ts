import { arch, availableParallelism, platform, release, totalmem } from 'node:os'
import type pg from 'pg'
import { Scrubber } from '#http-kit/text/scrub.ts'
import { openForExamination } from '../open-for-examination.ts'
import { readDeployment, type Deployment } from '../deployment.ts'
import { examine } from '../doctor/examine.ts'
import { thisProduct } from '../version.ts'
import { describeSettings, secretsOf } from './settings.ts'

const METRICS_TIMEOUT_MS = 3_000

/**
 * What somebody needs to help with this deployment, as the text of one JSON document. It names no person, scope or
 * property value, and every known secret is masked wherever it appears.
 */
export async function collectSupportBundle(env: Record<string, string | undefined>): Promise<string> {
  const deployment = deploymentOf(env)
  const document = {
    format: 'bundle-console support bundle 1',
    at: new Date().toISOString(),
    ...(await thisProduct()),
    system: {
      node: process.version,
      platform: `${platform()} ${release()} ${arch()}`,
      processors: availableParallelism(),
      memoryBytes: totalmem(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    settings: describeSettings(env),
    doctor: await examine(env),
    database: deployment === null ? null : await databaseOf(deployment),
    metrics: deployment?.runtime == null ? null : await metricsOf(deployment.runtime),
  }
  const scrubber = new Scrubber()
  if (deployment !== null) {
    const credentials = [
      ...(deployment.runtime?.credentials ?? []),
      deployment.console?.runtime?.credential ?? '',
    ]
    for (const secret of secretsOf({ ...deployment, credentials })) scrubber.add(secret)
  }
  return `${scrubber.scrub(JSON.stringify(document, null, 2))}\n`
}

/** Null if a setting is wrong; the findings say which. */
function deploymentOf(env: Record<string, string | undefined>): Deployment | null {
  try {
    return readDeployment(env)
  } catch {
    return null
  }
}

async function databaseOf(deployment: Deployment): Promise<Record<string, unknown> | null> {
  const database = await openForExamination(deployment)
  if (typeof database === 'string') return null
  try {
    return await describeDatabase(database.pool)
  } finally {
    await database.close()
  }
}

/** The metrics of the runtime on this machine; null if it does not run. */
async function metricsOf({ host, port }: { host: string; port: number }): Promise<string[] | null> {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const name = local.includes(':') ? `[${local}]` : local
  try {
    const response = await fetch(`http://${name}:${port}/bundle-runtime/api/metrics`, {
      signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
    })
    return response.ok ? (await response.text()).split('\n') : null
  } catch {
    return null
  }
}

/**
 * Facts about the database that name no person, scope or value: its version and settings, migrations, table sizes,
 * connections, operations by state, leases, and the settings of plugins. A query that fails is replaced by its error code.
 */
async function describeDatabase(pool: pg.Pool): Promise<Record<string, unknown>> {
  const facts: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(QUERIES)) {
    // if one query fails, for example because a table is missing, the others still report
    facts[name] = await pool.query(text).then(
      ({ rows }) => rows as unknown[],
      (error: unknown) => ({
        unavailable: error instanceof Error && 'code' in error ? error.code : 'unknown',
      }),
    )
  }
  return facts
}

const QUERIES = {
  server: `select current_setting('server_version') as version, pg_is_in_recovery() as is_standby,
    pg_database_size(current_database())::float8 as database_bytes, clock_timestamp() as clock`,
  settings: `select name, setting, unit from pg_settings where name in ('max_connections', 'shared_buffers', 'wal_level',
    'synchronous_commit', 'synchronous_standby_names', 'default_transaction_read_only', 'autovacuum', 'work_mem',
    'max_wal_size', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'server_encoding')
    order by name`,
  runtime_migrations: 'select name, applied_at from runtime.migration order by name',
  console_migrations: 'select name, applied_at from bff.migration order by name',
  tables: `select schemaname || '.' || relname as name, n_live_tup::float8 as rows, n_dead_tup::float8 as dead_rows,
      pg_total_relation_size(relid)::float8 as bytes, last_autovacuum, last_autoanalyze
    from pg_stat_user_tables where schemaname in ('runtime', 'bff') order by bytes desc`,
  connections: `select application_name, state, count(*)::int4 as count, max(extract(epoch from clock_timestamp() - xact_start))::float8
      as oldest_transaction_seconds
    from pg_stat_activity where datname = current_database() group by 1, 2 order by 1, 2`,
  operations:
    'select state, phase, count(*)::int4 as count, min(created_at) as oldest from runtime.operation group by 1, 2 order by 1, 2',
  leases: `select lease_owner, count(*)::int4 as operations, min(available_at) as first_ends_at from runtime.operation
    where lease_owner is not null group by 1 order by 1`,
  plugins:
    'select plugin_id, enabled, timeout_ms, max_attempts, max_backoff_ms, updated_at from runtime.plugin order by 1',
}
