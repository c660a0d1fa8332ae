import { sql } from 'kysely'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { REFUSALS_OF_PLUGINS } from '#contract/runtime-api/vocabulary.ts'
import type { PluginRead, PluginRefusal } from '#contract/runtime-api/vocabulary.ts'
import type { AttemptKey } from '../../model/call.ts'
import type { Db } from '../../model/db.ts'
import { pruneOlder } from '../prune.ts'

/** Rules about a service alone: they refuse its references in each installation. */
export const REFUSALS_OF_SERVICES: readonly PluginRefusal[] = [
  'SERVICE_NOT_REGISTERED',
  'SERVICE_DISABLED',
  'SERVICE_OWNER_NOT_ACTIVE',
]

/** A call of a plugin to this platform that a rule refused. */
export interface RefusedRead {
  pluginId: string
  endpoint: PluginRead
  rule: PluginRefusal
  code: RuntimeErrorCode
  /** The service that could not be used; null if the rule is about none. */
  serviceId: string | null
  /** What the plugin asked for; null if it was not read, or if one row stands for all installations that use the service. */
  place: { bundleInstallId: string; resource: string | null; property: string | null } | null
}

/**
 * Adds refusals to the row of the same kind. Of what the plugin names, only what exists is stored, so a plugin that invents names
 * adds no rows.
 */
export async function addRefusals(db: Db, refused: RefusedRead, refusals: number): Promise<void> {
  const { pluginId, endpoint, rule, code, serviceId, place } = refused
  await sql`
    insert into runtime.plugin_refusal as kept
      (plugin_id, endpoint, rule, code, bundle_install_id, locator, property, service_id, refusals)
    select ${pluginId}::text, ${endpoint}::text, ${rule}::text, ${code}::text, installation.bundle_install_id, resource.locator,
      case when resource.properties ? ${place?.property ?? ''} then ${place?.property ?? null}::text end,
      ${serviceId}::text, ${refusals}::bigint
    from (select) as nothing
    left join runtime.installation on installation.bundle_install_id = ${place?.bundleInstallId ?? null}::uuid
    left join runtime.installed_resource as resource
      on resource.bundle_install_id = installation.bundle_install_id and resource.locator = ${place?.resource ?? null}
    on conflict (plugin_id, endpoint, rule, bundle_install_id, locator, property, service_id)
    do update set last_at = clock_timestamp(), refusals = kept.refusals + excluded.refusals, code = excluded.code`.execute(
    db,
  )
}

/**
 * What this platform refused a plugin during one of its attempts; undefined if that is nothing. Of several, the one with the code
 * that the plugin passed on, then the one of this installation, then the last one. A refusal of any call of the
 * plugin counts only with that code: it may be that of another process, which a forgotten credential was left in.
 */
export async function findRefusal(
  db: Db,
  { operationId, stage, pluginId, attempt }: AttemptKey,
  passedOn: string,
): Promise<NonNullable<Failure['refusedHere']> | undefined> {
  const { rows } = await sql<NonNullable<Failure['refusedHere']>>`
    select refusal.last_at as at, refusal.endpoint, refusal.rule, refusal.code, refusal.service_id as service
    from runtime.attempt
    join runtime.operation as operation on operation.operation_id = attempt.operation_id
    join runtime.plugin_refusal as refusal on refusal.plugin_id = attempt.plugin_id
    where attempt.operation_id = ${operationId} and attempt.stage = ${stage} and attempt.plugin_id = ${pluginId}
      and attempt.attempt = ${attempt}
      -- a refusal that repeats is written once a second
      and refusal.last_at >= attempt.started_at - interval '1 second'
      and (refusal.bundle_install_id = operation.bundle_install_id
        or (refusal.code = ${passedOn} and refusal.rule = any(${[...REFUSALS_OF_PLUGINS]}))
        or (refusal.code = ${passedOn} and refusal.rule = any(${[...REFUSALS_OF_SERVICES]})
          and refusal.bundle_install_id is null and exists (
            select from runtime.installed_resource as resource
            where resource.bundle_install_id = operation.bundle_install_id
              and refusal.service_id = any(runtime.service_ids_of_all(resource.properties)))))
    order by refusal.code = ${passedOn} desc, refusal.bundle_install_id is null, refusal.last_at desc
    limit 1`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  const { service, ...refusal } = found
  return { ...refusal, ...(service != null && { service }) }
}

/** Refusals and reads are kept as long as somebody may look for the cause of a failure. */
export const CALLS_KEPT = '30 days'

/** Deletes old refusals. Returns the number of deleted ones, at most `limit`. */
export const pruneRefusals = (db: Db, limit: number): Promise<number> =>
  pruneOlder(db, { table: 'runtime.plugin_refusal', column: 'last_at', age: CALLS_KEPT }, limit)
