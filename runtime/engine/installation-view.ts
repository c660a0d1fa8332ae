import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { Claim } from '#contract/runtime-api/claim.ts'
import type { NextStep } from '#contract/runtime-api/common.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import type {
  ClaimColumns,
  InstallationIdentityColumns,
  InstallationRow,
  InstallationViewRow,
} from '../model/installation.ts'
import { nextStepOf, nothingNext } from './situations.ts'

/** An installation as a row of a list. */
export function installationView(row: InstallationViewRow): Installation {
  return {
    installation: identityOf(row),
    title: row.title,
    state: row.state,
    version: row.version,
    upgradeTo: row.upgrade_to,
    claim: claimOf(row),
    nextStep: nextStepOfInstallation(row),
    updatedAt: row.updated_at,
  }
}

export function identityOf(row: InstallationIdentityColumns): InstallationIdentity {
  return {
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
    bundleInstallId: row.bundle_install_id,
    bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
  }
}

/** The claim on an installation, or null if it is not claimed. */
export function claimOf(row: ClaimColumns): Claim | null {
  const state = CLAIM_STATES.find((claiming) => claiming === row.claim_state)
  if (
    state === undefined ||
    row.claim_operation_id === null ||
    row.claim_operation_type === null ||
    row.claim_since === null
  ) {
    return null
  }
  return {
    operationId: row.claim_operation_id,
    operationType: row.claim_operation_type,
    state,
    since: row.claim_since,
    requestedBy: { id: row.claim_requested_by_id ?? '', name: row.claim_requested_by_name ?? '' },
  }
}

/** What the claiming operation needs next. */
function nextStepOfInstallation(row: InstallationRow): NextStep {
  if (row.claim_state === null) return nothingNext(row.updated_at)
  return nextStepOf({
    state: row.claim_state,
    failure: row.claim_failure,
    created_at: row.claim_since ?? row.updated_at,
    started_at: row.claim_started_at,
    run_started_at: row.claim_run_started_at,
    finished_at: row.claim_finished_at,
  })
}
