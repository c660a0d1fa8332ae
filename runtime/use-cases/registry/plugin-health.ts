import { HEALTH_RANGES, healthStart } from '#contract/runtime-api/vocabulary.ts'
import type { HealthFigures } from '#contract/runtime-api/plugin-health.ts'
import { readHealth, readHealthStart, readLatestAttempts } from '../../store/plugins/read-health.ts'
import type { HealthRow } from '../../store/plugins/read-health.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'

type Name = 'GET /plugins/{pluginId}/health'

/**
 * The most attempts that are read, so that the cost does not depend on the load of a plugin: each is a row of the table, and
 * of its operations. More would not make the percentiles more precise.
 */
const READ_MAX = 20_000
const VERSIONS_MAX = 20
const LATEST_MAX = 20

/** How a plugin answered, from its recorded attempts. A plugin that is not registered may have some too. */
export async function readPluginHealth(
  { deps, actor }: ReadContext,
  { params, query }: Input<Name>,
  limit = READ_MAX,
): Promise<Answer<Name>> {
  const { db, clock } = deps
  const { bucketMs } = HEALTH_RANGES[query.range]
  const until = clock.now().getTime()
  const since = new Date(healthStart(query.range, until)).toISOString()
  const request = { pluginId: params.pluginId, since, bucketMs, limit }
  const [start, rows, latest] = await Promise.all([
    readHealthStart(db, request),
    readHealth(db, actor, request),
    readLatestAttempts(db, actor, request, LATEST_MAX),
  ])
  const of = (kind: HealthRow['kind']) => rows.filter((row) => row.kind === kind)
  const [total] = of('total')
  return {
    since: start,
    until: new Date(until).toISOString(),
    complete: start === since,
    total: figuresOf(total),
    buckets: of('bucket').map((row) => ({ since: known(row.bucket), ...figuresOf(row) })),
    endpoints: of('endpoint').map((row) => ({
      endpoint: row.endpoint,
      since: row.endpoint_since,
      ...figuresOf(row),
    })),
    versions: of('version')
      .slice(0, VERSIONS_MAX)
      .map((row) => ({
        bundle: { environmentKey: known(row.bundle_environment_key), bundleId: known(row.bundle_id) },
        version: known(row.target_version),
        firstAt: known(row.first_at),
        lastAt: known(row.last_at),
        ...figuresOf(row),
      })),
    latest: latest.map((row) => ({
      operationId: row.operation_id,
      operationType: row.operation_type,
      title: row.title,
      scope: scopeOf(row),
      stage: row.stage,
      attempt: row.attempt,
      startedAt: row.started_at,
      durationMs: row.duration_ms,
      outcome: row.outcome,
      errorCode: row.error_code,
      httpStatus: row.http_status,
    })),
  }
}

function figuresOf(row: HealthRow | undefined): HealthFigures {
  return {
    attempts: row?.attempts ?? 0,
    succeeded: row?.succeeded ?? 0,
    uncertain: row?.uncertain ?? 0,
    p50Ms: row?.p50Ms ?? null,
    p95Ms: row?.p95Ms ?? null,
    attemptsNeeded: row?.attemptsNeeded ?? null,
  }
}

/** A column that every row of this kind has. */
function known(value: string | null): string {
  if (value === null) throw new TypeError('a group of attempts lacks its key')
  return value
}
