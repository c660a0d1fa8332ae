import type { Selectable } from 'kysely'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { ManifestPlugin } from '#contract/protocol/manifest.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { InstallationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Obstacle } from './situations.ts'
import type { RuntimeTables } from './tables.ts'

type OperationColumns = Selectable<RuntimeTables['runtime.operation']>

/** The columns of the claiming operation from a left join: all null without a claim. */
export interface ClaimColumns {
  claim_operation_id: OperationColumns['operation_id'] | null
  claim_operation_type: OperationColumns['operation_type'] | null
  claim_state: OperationColumns['state'] | null
  claim_since: OperationColumns['created_at'] | null
  claim_started_at: OperationColumns['started_at']
  claim_run_started_at: OperationColumns['run_started_at']
  claim_finished_at: OperationColumns['finished_at']
  claim_failure: OperationColumns['failure']
  claim_in_doubt_since: OperationColumns['in_doubt_since']
  claim_requested_by_id: OperationColumns['requested_by_id'] | null
  claim_requested_by_name: OperationColumns['requested_by_name'] | null
}

/** The columns that identify an installation, its place and its bundle. */
export type InstallationIdentityColumns = Pick<
  InstallationColumns,
  | 'environment_key'
  | 'application_runtime_id'
  | 'workspace_id'
  | 'bundle_install_id'
  | 'bundle_environment_key'
  | 'bundle_id'
>

/** An installation and the operation that claims it, read by one statement. */
export type InstallationRow = Selectable<RuntimeTables['runtime.installation']> &
  ClaimColumns & {
    /** What stands in the way of the claiming operation. */
    claim_obstacle: Obstacle | null
  }

/** With the newest published version of its bundle, if it is newer than the installed one, and what is said of that one. */
export type InstallationViewRow = InstallationRow & {
  upgrade_to: string | null
  version_standing: Installation['standing'] | null
}

export type InstallationColumns = Selectable<RuntimeTables['runtime.installation']>

/** An installation with everything that one resolution needs. */
export interface AppliedReference extends InstallationIdentityColumns {
  state: InstallationState
  /** The operation that holds the claim. */
  claim_type: OperationType | null
  claim_phase: Phase | null
  /** The Module as last applied by the RESOURCES phase; null if the ledger has no such resource. */
  module_id: string | null
  value: TypedValue | null
  /** Declared by the installed version. */
  declared: ManifestPlugin[] | null
  /** Frozen with the operation that holds the claim. */
  frozen: CompiledAuthorization[] | null
}
