import { sql } from 'kysely'
import type { RegistrationRow, Registrations } from '../../model/registration.ts'
import type { Db } from '../../model/db.ts'

/** Returns the current registrations of these plugins, without those that are disabled or not registered. */
export async function readRegistrations(db: Db, pluginIds: readonly string[]): Promise<Registrations> {
  const found = await sql<
    { now: string } & { [column in keyof RegistrationRow]: RegistrationRow[column] | null }
  >`
    select moment.now, plugin.plugin_id, plugin.endpoint, plugin.timeout_ms, plugin.max_attempts, plugin.max_backoff_ms
    from (select clock_timestamp() as now) as moment
    left join runtime.plugin on plugin.plugin_id = any(${[...pluginIds]}::text[]) and plugin.enabled`.execute(
    db,
  )
  const byPlugin = new Map<string, RegistrationRow>()
  for (const { plugin_id, endpoint, timeout_ms, max_attempts, max_backoff_ms } of found.rows) {
    if (plugin_id !== null && endpoint !== null)
      byPlugin.set(plugin_id, { plugin_id, endpoint, timeout_ms, max_attempts, max_backoff_ms })
  }
  return { now: found.rows[0]!.now, byPlugin }
}
