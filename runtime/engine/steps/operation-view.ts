import type { Operation } from '#contract/runtime-api/operations.ts'
import type { OperationRow } from '../../model/operation.ts'
import { nextStepOf } from '../situations.ts'

/** An operation as the runtime API returns it. */
export function operationView(row: OperationRow): Operation {
  return {
    operationId: row.operation_id,
    operationType: row.operation_type,
    currentVersion: row.current_version,
    targetVersion: row.target_version,
    installation: {
      environmentKey: row.environment_key,
      applicationRuntimeId: row.application_runtime_id,
      workspaceId: row.workspace_id,
      bundleInstallId: row.bundle_install_id,
      bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
    },
    executionSequence: row.execution_sequence,
    run: row.run,
    state: row.state,
    phase: row.phase,
    takesOver: row.takes_over,
    takenOverBy: row.taken_over_by,
    failure: row.failure,
    requestedBy: { id: row.requested_by_id, name: row.requested_by_name },
    reason: row.reason,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    nextAttemptAt: row.next_attempt_at,
    runStartedAt: row.run_started_at ?? row.started_at,
    earlierRunsMs: row.earlier_runs_ms,
    nextStep: nextStepOf(row),
  }
}
