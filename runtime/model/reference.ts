import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { ManifestPlugin } from '#contract/protocol/manifest.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { InstallationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { InstallationIdentityColumns } from './installation.ts'

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
