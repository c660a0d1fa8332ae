import { sql } from 'kysely'
import type { OperationRow } from '../../operations/view.ts'
import type { Tx } from '../../world.ts'

/** State and version of the installation after an operation of it succeeded. */
export async function settleInstallation(tx: Tx, operation: OperationRow): Promise<void> {
  await tx
    .updateTable('runtime.installation')
    .set({ ...settled(operation), updated_at: sql<string>`clock_timestamp()` })
    .where('bundle_install_id', '=', operation.bundle_install_id)
    .execute()
}

function settled({ operation_type, target_version }: OperationRow) {
  switch (operation_type) {
    case 'INSTALL':
      return { state: 'ACTIVE' as const, version: target_version }
    case 'UPGRADE':
      return { version: target_version }
    case 'CONFIGURE':
      return {}
    case 'DETACH':
      return { state: 'DETACHED' as const }
  }
}
