import type { Scope } from '#contract/protocol/scope.ts'
import { scopeOf } from '../configuration/find-scope.ts'
import type { Db } from '../../model/db.ts'

/** An object as a path names it. */
export type PathObject = { bundleInstallId: string } | { operationId: string }

/** The scope of an installation or operation, or undefined where there is none. */
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
