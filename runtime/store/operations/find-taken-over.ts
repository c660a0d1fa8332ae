import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'

/**
 * Returns operations that were taken over in earlier, detached installations of the same bundle in the same scope.
 */
export function findTakenOver(
  db: Db,
  { scope_id, ...of }: Pick<OperationRow, PlaceColumn | 'scope_id'>,
): Promise<OperationRow[]> {
  return db
    .selectFrom('runtime.installation as installation')
    .innerJoin(
      'runtime.operation as operation',
      'operation.bundle_install_id',
      'installation.bundle_install_id',
    )
    .selectAll('operation')
    .where('installation.environment_key', '=', of.environment_key)
    .where('installation.application_runtime_id', '=', of.application_runtime_id)
    .where('installation.workspace_id', '=', of.workspace_id)
    .where('installation.bundle_environment_key', '=', of.bundle_environment_key)
    .where('installation.bundle_id', '=', of.bundle_id)
    .where('installation.scope_id', '=', scope_id)
    .where('installation.state', '=', 'DETACHED')
    .where('operation.state', '=', 'TAKEN_OVER')
    .execute()
}

type PlaceColumn =
  | 'environment_key'
  | 'application_runtime_id'
  | 'workspace_id'
  | 'bundle_environment_key'
  | 'bundle_id'
