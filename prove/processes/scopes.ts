import type { Scope } from '#contract/protocol/scope.ts'
import type { Reader } from '../invariants/reader.ts'

/** The number that each scope has in the database. */
export async function scopesOf(reader: Reader): Promise<(scope: Scope) => number> {
  const { rows } = await reader.query(
    'select environment_key, application_runtime_id, workspace_id, scope_id from runtime.scope',
  )
  // the statement selects these; the driver gives int8 as text
  const known = rows as Record<
    'environment_key' | 'application_runtime_id' | 'workspace_id' | 'scope_id',
    string
  >[]
  const numbers = new Map(
    known.map((row) => [
      JSON.stringify([row.environment_key, row.application_runtime_id, row.workspace_id]),
      Number(row.scope_id),
    ]),
  )
  return ({ environmentKey, applicationRuntimeId, workspaceId }) =>
    numbers.get(JSON.stringify([environmentKey, applicationRuntimeId, String(workspaceId)])) ?? 0
}
