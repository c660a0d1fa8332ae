import { phaseAfter } from '../engine/steps/decide.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Log } from '#http-kit/log.ts'
import type { OperationRow } from '../model/operation.ts'
import type { PersistedTransitions } from '../store/operations/persist-transitions.ts'
import type { Advanced, Ready } from './advance-types.ts'
import type { Step } from './decide-batch.ts'

/** Updates the worker's copies after the commit, and returns what to do next with each operation that was written. */
export function conclude(
  steps: readonly Step[],
  { moved, begun }: PersistedTransitions,
  log: Log,
): Map<Ready, Advanced> {
  const advanced = new Map<Ready, Advanced>()
  for (const { ready, lease, decision, nextPlugin } of steps) {
    const { attempts, calls, operation, dueInMs, move } = decision
    const isDone = moved.has(lease.operationId) && (begun.get(lease.operationId) ?? 0) === attempts.length
    if (!isDone) continue
    if (move.kind === 'fail') logFailure(log, operation, move.failure)
    ready.leased.operation = { ...operation, phase: phaseAfter(decision), next_plugin: nextPlugin }
    ready.leased.calls = calls
    if (ready.isInFlight) advanced.set(ready, { kind: 'in-flight' })
    else if (attempts.length > 0) advanced.set(ready, { kind: 'call', calls: attempts })
    else advanced.set(ready, { kind: 'released', dueInMs, state: move.kind })
  }
  return advanced
}

/** One line for each failed operation, without the message, which may contain the plugin's words. */
function logFailure(log: Log, operation: OperationRow, { errorCode, errorPath }: Failure): void {
  log.warn('operation failed', {
    operationId: operation.operation_id,
    bundleInstallId: operation.bundle_install_id,
    operationType: operation.operation_type,
    executionSequence: operation.execution_sequence,
    run: operation.run,
    phase: operation.phase,
    errorCode,
    errorPath: (errorPath ?? []).join(' > '),
  })
}
