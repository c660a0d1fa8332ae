import type { Scope } from '#contract/protocol/scope.ts'
import type { ScopeRow } from './find-scope.ts'
import type { Tx } from '../../model/db.ts'

/**
 * Locks the row of a scope until the transaction ends, and returns it. Every change of the scope's configuration and
 * every first claim on one of its installations holds this lock, so what is read after it stays true until the
 * commit.
 */
export function lockScope(tx: Tx, scope: Scope): Promise<ScopeRow | undefined> {
  return tx
    .selectFrom('runtime.scope')
    .selectAll()
    .where('environment_key', '=', scope.environmentKey)
    .where('application_runtime_id', '=', scope.applicationRuntimeId)
    .where('workspace_id', '=', scope.workspaceId)
    .forUpdate()
    .executeTakeFirst()
}
