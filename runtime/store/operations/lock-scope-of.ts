import type { Tx } from '../../world.ts'

/** The current snapshot of a scope, locked: whoever changes the configuration takes this lock before any other. */
export function lockScopeOf(tx: Tx, scopeId: number): Promise<{ snapshot_version: number }> {
  return tx
    .selectFrom('runtime.scope')
    .select('snapshot_version')
    .where('scope_id', '=', scopeId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}
