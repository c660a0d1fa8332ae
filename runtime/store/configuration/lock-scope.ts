import type { Scope } from '#contract/protocol/scope.ts'
import type { ScopeRow } from './find-scope.ts'
import type { Tx } from '../../model/db.ts'

/**
 * The row of a scope, locked until the transaction ends. Whoever changes its configuration, or makes a first claim on
 * one of its installations, holds this lock; so what they read afterwards stays true until they commit.
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
