import { OPERATION_TYPES, STAGES } from '#contract/protocol/vocabulary.ts'
import type { Facts } from '../invariants/facts.ts'
import type { OperationChange } from '../invariants/journal.ts'
import { CALL_FAULTS, LEASE_FAULTS, RECORDING_FAULTS } from './calls.ts'
import type { LeaseFault, SimulatedCall } from './calls.ts'

// What was tried. A cell is: what happened to a call, in which stage of which operation type, what had happened to the
// worker's lease when it received the response, and what happened to the transaction that recorded it.

/** Every cell that can be reached. A killed worker has no transaction that could go wrong. */
export const CELLS: readonly string[] = Object.keys(CALL_FAULTS).flatMap((fault) =>
  STAGES.flatMap((stage) =>
    OPERATION_TYPES.flatMap((type) =>
      LEASE_FAULTS.flatMap((lease) =>
        (lease === 'killed' ? ['nothing'] : Object.keys(RECORDING_FAULTS)).map((recording) =>
          [fault, stage, type, lease, recording].join(' · '),
        ),
      ),
    ),
  ),
)

/** The cells that a history met, by group and in full detail. */
export function cellsOf(
  calls: readonly SimulatedCall[],
  facts: Facts,
): { cells: Set<string>; details: Set<string> } {
  const cells = new Set<string>()
  const details = new Set<string>()
  for (const call of calls) {
    const lease = leaseOf(call, facts)
    if (lease === null) continue
    const recording = lease === 'killed' ? 'nothing' : groupOf(RECORDING_FAULTS, call.recording)
    const place = [call.stage, call.operationType, lease]
    cells.add([groupOf(CALL_FAULTS, call.plan.fault), ...place, recording].join(' · '))
    details.add([call.plan.fault, ...place, call.recording ?? 'nothing'].join(' · '))
  }
  return { cells, details }
}

function groupOf(groups: Readonly<Record<string, readonly string[]>>, name: string | null): string {
  return Object.keys(groups).find((key) => name !== null && groups[key]?.includes(name)) ?? 'nothing'
}

/** Null if the worker was still waiting for the response at the end, or recorded it together with the next one. */
function leaseOf(call: SimulatedCall, { journal }: Facts): LeaseFault | null {
  const { recordedAt, worker, operationId, sentAt, wasPaused } = call
  if (recordedAt === null) return call.isWorkerKilled ? 'killed' : null
  const changes = (journal ?? []).filter(
    (change): change is OperationChange =>
      change.relation === 'operation' && change.operation_id === operationId,
  )
  const epoch = changes.findLast(({ at, after }) => at <= sentAt && after?.lease_owner === worker)?.after
    ?.lease_epoch
  // the journal has whole microseconds
  const before = changes.findLast(({ at }) => at < recordedAt - 0.002)?.after
  if (before == null || epoch === undefined) return null
  if (before.lease_owner !== worker || before.lease_epoch !== epoch) return 'taken'
  if (before.available_at <= recordedAt) return 'expired'
  return wasPaused ? 'paused' : 'held'
}
