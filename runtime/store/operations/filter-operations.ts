import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { operationEndpoints } from '#contract/runtime-api/operations.ts'
import type { Actor } from '../../actor.ts'
import { containing } from '../like.ts'
import { visibleTo } from '../visible.ts'

export type OperationQuery = z.output<(typeof operationEndpoints)['GET /operations']['query']>

/** What list and counts filter by. */
export type OperationFilter = Omit<OperationQuery, 'limit' | 'cursor' | 'sort'>

/** The condition on `runtime.operation as operation` for what is asked for and may be seen. */
export function operationFilter(actor: Actor, filter: OperationFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [visibleTo(actor, 'read', 'operation')]
  const equal = (column: string, value: string | number | undefined): void => {
    if (value !== undefined) conditions.push(sql`${sql.ref(`operation.${column}`)} = ${value}`)
  }
  const among = (column: string, values: readonly string[] | undefined): void => {
    if (values !== undefined)
      conditions.push(sql`${sql.ref(`operation.${column}`)} = any(${[...values]}::text[])`)
  }
  equal('environment_key', filter.environmentKey)
  equal('application_runtime_id', filter.applicationRuntimeId)
  equal('workspace_id', filter.workspaceId)
  equal('bundle_install_id', filter.bundleInstallId)
  among('operation_type', filter.operationType)
  among('state', filter.state)
  among('phase', filter.phase)
  equal('requested_by_id', filter.requestedBy)
  if (filter.errorCode !== undefined)
    conditions.push(sql`operation.failure ->> 'errorCode' = ${filter.errorCode}`)
  if (filter.pluginId !== undefined)
    conditions.push(sql`exists (
      select from runtime.plugin_call
      where plugin_call.operation_id = operation.operation_id and plugin_call.plugin_id = ${filter.pluginId})`)
  if (filter.since !== undefined) conditions.push(sql`operation.created_at >= ${filter.since}::timestamptz`)
  if (filter.until !== undefined) conditions.push(sql`operation.created_at < ${filter.until}::timestamptz`)
  if (filter.q !== undefined && filter.q !== '') conditions.push(matches(filter.q))
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function matches(q: string): RawBuilder<unknown> {
  const pattern = containing(q)
  return sql`(
    operation.bundle_id ilike ${pattern}
    or operation.requested_by_name ilike ${pattern}
    or operation.operation_id::text ilike ${pattern}
    or operation.bundle_install_id::text ilike ${pattern})`
}
