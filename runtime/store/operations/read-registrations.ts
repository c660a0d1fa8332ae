import type { Db } from '../../world.ts'

export interface RegistrationRow {
  plugin_id: string
  endpoint: string
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
}

/** Where and how these plugins are called right now; one that is not registered, or disabled, is absent. */
export function readRegistrations(db: Db, pluginIds: readonly string[]): Promise<RegistrationRow[]> {
  return db
    .selectFrom('runtime.plugin')
    .select(['plugin_id', 'endpoint', 'timeout_ms', 'max_attempts', 'max_backoff_ms'])
    .where('plugin_id', 'in', pluginIds)
    .where('enabled', '=', true)
    .execute()
}
