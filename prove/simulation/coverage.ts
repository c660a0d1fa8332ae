import { OPERATION_TYPES, STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationChange } from '../invariants/journal.ts'
import type { Facts } from '../invariants/facts.ts'
import { CALL_FAULTS, OWNERSHIPS, RECORDINGS } from './flights.ts'
import type { Flight, Ownership } from './flights.ts'

// What was tried: a cell is what became of a call, in which stage of which operation, what had become of the worker's hold
// on the operation when it knew the answer, and what became of the transaction that recorded it.

/** Every cell that can be reached. Of a worker that is dead no transaction is left to go wrong. */
export const CELLS: readonly string[] = Object.keys(CALL_FAULTS).flatMap((fault) =>
  STAGES.flatMap((stage) =>
    OPERATION_TYPES.flatMap((type) =>
      OWNERSHIPS.flatMap((ownership) =>
        (ownership === 'killed' ? ['nothing'] : Object.keys(RECORDINGS)).map((recording) =>
          [fault, stage, type, ownership, recording].join(' · '),
        ),
      ),
    ),
  ),
)

/** The cells that a history was in, by name and in full detail. */
export function cellsOf(
  flights: readonly Flight[],
  facts: Facts,
): { cells: Set<string>; details: Set<string> } {
  const cells = new Set<string>()
  const details = new Set<string>()
  for (const flight of flights) {
    const ownership = ownershipOf(flight, facts)
    if (ownership === null) continue
    const { plan, stage, operationType } = flight
    const recording = ownership === 'killed' ? 'nothing' : classOf(RECORDINGS, flight.database)
    const place = [stage, operationType, ownership]
    cells.add([classOf(CALL_FAULTS, plan.fault), ...place, recording].join(' · '))
    details.add([plan.fault, ...place, flight.database ?? 'nothing'].join(' · '))
  }
  return { cells, details }
}

function classOf(classes: Readonly<Record<string, readonly string[]>>, name: string | null): string {
  return Object.keys(classes).find((key) => name !== null && classes[key]?.includes(name)) ?? 'nothing'
}

/** Null of a call that its worker was still waiting for, or recorded together with the next, when all ended. */
function ownershipOf(flight: Flight, { journal }: Facts): Ownership | null {
  const { recordedAt, actor, operationId, sentAt, wasPaused } = flight
  if (recordedAt === null) return flight.isActorDead ? 'killed' : null
  const changes = (journal ?? []).filter(
    (change): change is OperationChange =>
      change.relation === 'operation' && change.operation_id === operationId,
  )
  const epoch = changes.findLast(({ at, after }) => at <= sentAt && after?.lease_owner === actor)?.after
    ?.lease_epoch
  // the journal has whole microseconds
  const before = changes.findLast(({ at }) => at < recordedAt - 0.002)?.after
  if (before == null || epoch === undefined) return null
  if (before.lease_owner !== actor || before.lease_epoch !== epoch) return 'taken'
  if (before.available_at <= recordedAt) return 'expired'
  return wasPaused ? 'paused' : 'held'
}
