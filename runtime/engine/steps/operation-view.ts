import type { Operation } from '#contract/runtime-api/operations.ts'
import type { OperationRow } from '../../model/operation.ts'
import { nextStepOf } from '../situations.ts'

/** An operation, with the attempts of its current call in this run. Without a number, there are none yet. */
export type OperationRowWithCall = OperationRow & { call_attempts?: number }

/** An operation as the runtime API returns it. */
export function operationView(row: OperationRowWithCall): Operation {
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
    call: callOf(row),
    takesOver: row.takes_over,
    takenOverBy: row.taken_over_by,
    failure: row.failure,
    requestedBy: { id: row.requested_by_id, name: row.requested_by_name },
    assignee: assigneeOf(row),
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

/** The person who works on an operation; null if nobody does. */
export function assigneeOf({ assignee_id: id, assignee_name: name }: OperationRow): Operation['assignee'] {
  return id === null || name === null ? null : { id, name }
}

/** An unfinished operation is at the call of its next plugin; a failed one is at the call that failed. */
function callOf({
  state,
  phase,
  failure,
  next_plugin,
  call_attempts = 0,
}: OperationRowWithCall): Operation['call'] {
  if (state === 'SUCCEEDED' || (phase !== 'BEFORE_RESOURCES' && phase !== 'AFTER_RESOURCES')) return null
  // the error path of a failed call names its plugin after the runtime
  const pluginId = failure === null ? next_plugin : (failure.errorPath?.[1] ?? '')
  return pluginId === '' ? null : { pluginId, attempts: call_attempts }
}
