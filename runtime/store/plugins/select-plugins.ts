import { sql } from 'kysely'
import type { RawBuilder, Selectable } from 'kysely'
import type { PluginCredential } from '#contract/runtime-api/plugins.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { Db } from '../../model/db.ts'

export type PluginRow = Selectable<RuntimeTables['runtime.plugin']> & {
  credentials: PluginCredential[]
  /** Whether the last report of the registered version passed; null without one. */
  report_passed: boolean | null
}

const TIME = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')

/** The plugins with their credentials, ordered by id. */
export async function selectPlugins(
  db: Db,
  { where, limit = null }: { where: RawBuilder<unknown>; limit?: number | null },
): Promise<PluginRow[]> {
  const result = await sql<PluginRow>`
    select plugin.plugin_id, plugin.title, plugin.endpoint, plugin.enabled, plugin.updated_at,
      plugin.timeout_ms, plugin.max_attempts, plugin.max_backoff_ms,
      plugin.owner_team, plugin.owner_contact, plugin.version, report.passed as report_passed, coalesce(credential.all, '[]'::json) as credentials
    from runtime.plugin as plugin
    left join lateral (
      select json_agg(json_build_object(
        'credentialId', credential_id,
        'createdAt', to_char(created_at, ${TIME}),
        'lastUsedAt', to_char(last_used_at, ${TIME}),
        'revokedAt', to_char(revoked_at, ${TIME})
      ) order by created_at, credential_id) as all
      from runtime.plugin_credential as credential
      where credential.plugin_id = plugin.plugin_id
    ) as credential on true
    left join runtime.plugin_report as report
      on report.plugin_id = plugin.plugin_id and report.version = plugin.version
    where ${where}
    order by plugin.plugin_id
    limit ${limit}::int`.execute(db)
  return result.rows
}

/** The condition that an operation calls the plugin. */
export function isPluginOf(operationId: string): RawBuilder<boolean> {
  return sql<boolean>`plugin.plugin_id in (
    select plugin_id from runtime.plugin_call where operation_id = ${operationId}::uuid)`
}
