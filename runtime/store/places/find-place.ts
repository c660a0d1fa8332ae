import type { Scope } from '#contract/protocol/scope.ts'
import { scopeOf } from '../configuration/find-scope.ts'
import type { Db } from '../../model/db.ts'

/** An object in a request path. */
export type PathObject = { bundleInstallId: string } | { operationId: string }

/** Returns the scope of an installation or operation, or undefined if it does not exist. */
export async function findPlace(db: Db, object: PathObject): Promise<Scope | undefined> {
  const columns = ['environment_key', 'application_runtime_id', 'workspace_id'] as const
  const row =
    'operationId' in object
      ? await db
          .selectFrom('runtime.operation')
          .select(columns)
          .where('operation_id', '=', object.operationId)
          .executeTakeFirst()
      : await db
          .selectFrom('runtime.installation')
          .select(columns)
          .where('bundle_install_id', '=', object.bundleInstallId)
          .executeTakeFirst()
  return row && scopeOf(row)
}
