import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { InstallationState } from '#contract/runtime-api/vocabulary.ts'
import type { OperationRow } from '../../model/operation.ts'

/** For `persistTransitions`: updates state and version of the installations whose operation succeeded. */
export function updateInstallations(operations: readonly OperationRow[]): RawBuilder<unknown> {
  const settled = operations.map(stateAfter)
  return sql`
    settled as (
      update runtime.installation
      set state = coalesce(settled.state, installation.state),
        version = coalesce(settled.version, installation.version),
        updated_at = clock_timestamp()
      from unnest(
        ${operations.map((operation) => operation.operation_id)}::uuid[],
        ${operations.map((operation) => operation.bundle_install_id)}::uuid[],
        ${settled.map(({ state }) => state)}::text[],
        ${settled.map(({ version }) => version)}::text[])
        as settled (operation_id, bundle_install_id, state, version)
      join confirmed using (operation_id)
      where installation.bundle_install_id = settled.bundle_install_id
    )`
}

/** Null if it does not change. */
function stateAfter({ operation_type, target_version }: OperationRow): {
  state: InstallationState | null
  version: string | null
} {
  switch (operation_type) {
    case 'INSTALL':
      return { state: 'ACTIVE', version: target_version }
    case 'UPGRADE':
      return { state: null, version: target_version }
    case 'CONFIGURE':
      return { state: null, version: null }
    case 'DETACH':
      return { state: 'DETACHED', version: null }
  }
}
