import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export interface ConfigurationRow {
  scope_id: number
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  snapshot_version: number
  saved_at: string
  saved_by_id: string
  saved_by_name: string
  locators: string[]
}

/** For each scope, returns the last of the given snapshots with the resources that any of them changed. */
export async function loadConfigurations(
  db: Db,
  snapshots: readonly { scopeId: number; from: number; to: number }[],
): Promise<ConfigurationRow[]> {
  if (snapshots.length === 0) return []
  const result = await sql<ConfigurationRow>`
    select scope.scope_id, scope.environment_key, scope.application_runtime_id, scope.workspace_id,
      snapshot.snapshot_version, snapshot.saved_at, snapshot.saved_by_id, snapshot.saved_by_name,
      array(
        select distinct change.locator from runtime.snapshot_change as change
        where change.scope_id = scope.scope_id and change.snapshot_version between asked."from" and asked."to"
        order by change.locator
      ) as locators
    from json_to_recordset(${JSON.stringify(snapshots)}::json) as asked("scopeId" bigint, "from" bigint, "to" bigint)
    join runtime.scope as scope on scope.scope_id = asked."scopeId"
    join runtime.snapshot as snapshot
      on snapshot.scope_id = scope.scope_id and snapshot.snapshot_version = asked."to"`.execute(db)
  return result.rows
}
