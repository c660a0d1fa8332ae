import type { Scope } from '#contract/protocol/scope.ts'
import type { Actor } from '../../model/actor.ts'
import type { ScopeRow } from './find-scope.ts'
import { insertSnapshots } from './insert-snapshots.ts'
import { lockScope } from './lock-scope.ts'
import type { Tx } from '../../model/db.ts'

/** Returns the locked row of a scope. Creates it with its first snapshot if it does not exist. */
export async function makeScope(tx: Tx, scope: Scope, actor: Actor): Promise<ScopeRow> {
  const made = await tx
    .insertInto('runtime.scope')
    .values({
      environment_key: scope.environmentKey,
      application_runtime_id: scope.applicationRuntimeId,
      workspace_id: scope.workspaceId,
      saved_by_id: actor.id,
      saved_by_name: actor.name,
    })
    .onConflict((conflict) =>
      conflict.columns(['environment_key', 'application_runtime_id', 'workspace_id']).doNothing(),
    )
    .returning(['scope_id', 'snapshot_version', 'saved_at'])
    .executeTakeFirst()
  if (made !== undefined) {
    const created = {
      scopeId: made.scope_id,
      snapshotVersion: made.snapshot_version,
      savedAt: made.saved_at,
      savedBy: actor,
      reason: null,
      cause: 'CREATED',
      operationId: null,
    } as const
    await insertSnapshots(tx, [created])
  }
  const row = await lockScope(tx, scope)
  if (row === undefined) throw new Error('The scope that was just created is missing')
  return row
}
