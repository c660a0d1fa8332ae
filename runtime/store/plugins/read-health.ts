import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'
import type { HealthFigures } from '#contract/runtime-api/plugin-health.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { visibleTo } from '../visible-scopes.ts'

/** What to read: the newest attempts of a plugin since a time, at most `limit` of them, whatever the range. */
export interface HealthRequest {
  pluginId: string
  since: string
  bucketMs: number
  limit: number
}

/** The figures of a group of attempts. Which columns are set depends on the kind of the group. */
export interface HealthRow extends HealthFigures {
  kind: 'total' | 'bucket' | 'endpoint' | 'version'
  bucket: string | null
  endpoint: string | null
  endpoint_since: string | null
  bundle_environment_key: string | null
  bundle_id: string | null
  target_version: string | null
  first_at: string | null
  last_at: string | null
}

export interface LatestRow {
  operation_id: string
  operation_type: OperationType
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  /** Of the installation. */
  title: string
  stage: Stage
  attempt: number
  started_at: string
  duration_ms: number
  outcome: Outcome | null
  error_code: string | null
  http_status: number | null
}

/** Reads from when on the attempts were read: the time asked for, or later if there are more than the limit. */
export async function readHealthStart(db: Db, { pluginId, since, limit }: HealthRequest): Promise<string> {
  const { rows } = await sql<{ started_at: string }>`
    select started_at from runtime.attempt where plugin_id = ${pluginId} and started_at >= ${since} and not by_platform
    order by started_at desc offset ${limit - 1} limit 1`.execute(db)
  return rows[0]?.started_at ?? since
}

/** Aggregates the attempts that the actor may see: in total, by time, by endpoint and by version of the bundle. */
export async function readHealth(db: Db, actor: Actor, request: HealthRequest): Promise<HealthRow[]> {
  const { pluginId, bucketMs } = request
  const { rows } = await sql<HealthRow>`
    with finished as materialized (
      -- without what is not aggregated, so that it fits into memory
      select recent.started_at, recent.attempt, recent.duration_ms, operation.bundle_environment_key, operation.bundle_id, operation.target_version,
        date_bin(make_interval(secs => ${bucketMs / 1000}), recent.started_at, '0001-01-01T00:00:00Z'::timestamptz) as bucket,
        recent.outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED') as succeeded, ${isUncertain()} as uncertain
      from (${newest(request)}) as recent join runtime.operation as operation using (operation_id)
      where recent.finished_at is not null and ${visibleTo(actor, 'read', 'operation')}
    ), period as (
      select since, endpoint, lead(since, 1, 'infinity') over (order by since) as until
      from runtime.plugin_endpoint where plugin_id = ${pluginId}
    )
    select case
        when grouping(bucket) = 0 then 'bucket'
        when grouping(period.since) = 0 then 'endpoint'
        when grouping(bundle_id) = 0 then 'version'
        else 'total' end as kind,
      bucket, period.endpoint, period.since as endpoint_since, bundle_environment_key, bundle_id, target_version,
      min(started_at) as first_at, max(started_at) as last_at,
      count(*) as attempts,
      count(*) filter (where succeeded) as succeeded,
      count(*) filter (where uncertain) as uncertain,
      percentile_cont(0.5) within group (order by duration_ms) as "p50Ms",
      percentile_cont(0.95) within group (order by duration_ms) as "p95Ms",
      (avg(attempt) filter (where succeeded))::float8 as "attemptsNeeded"
    from finished left join period on started_at >= period.since and started_at < period.until
    group by grouping sets ((), (bucket), (period.since, period.endpoint),
      (bundle_environment_key, bundle_id, target_version))
    order by bucket, period.since nulls first, last_at desc`.execute(db)
  return rows
}

/** Returns the newest finished attempts that the actor may see. */
export async function readLatestAttempts(
  db: Db,
  actor: Actor,
  request: HealthRequest,
  count: number,
): Promise<LatestRow[]> {
  const { rows } = await sql<LatestRow>`
    select recent.operation_id, operation.operation_type, operation.environment_key,
      operation.application_runtime_id, operation.workspace_id, installation.title, stage, attempt, recent.started_at, duration_ms, outcome, http_status,
      recent.failure ->> 'errorCode' as error_code
    from (${newest(request)}) as recent join runtime.operation as operation using (operation_id)
    join runtime.installation as installation using (bundle_install_id)
    where recent.finished_at is not null and ${visibleTo(actor, 'read', 'operation')}
    order by recent.started_at desc
    limit ${count}`.execute(db)
  return rows
}

const newest = ({ pluginId, since, limit }: HealthRequest) => sql`
  select operation_id, stage, attempt, started_at, finished_at, outcome, failure, http_status,
    (extract(epoch from finished_at - started_at) * 1000)::float8 as duration_ms
  -- what the platform answered itself says nothing about the plugin
  from runtime.attempt where plugin_id = ${pluginId} and started_at >= ${since} and not by_platform
  order by started_at desc limit ${limit}`

/** Whether the plugin may have acted on a finished attempt without returning a definite result. */
const isUncertain = (): RawBuilder<boolean> => sql<boolean>`
  case when recent.outcome is not null then recent.outcome = 'UNKNOWN'
  else coalesce(recent.failure -> 'parameters' ->> 'reason', 'callFailedSilently')
    <> all(${['callFailedSilently', ...NOT_RECEIVED]}::text[]) end`
