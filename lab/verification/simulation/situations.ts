import type { Delivery } from '../invariants/evidence.ts'
import type { Facts } from '../invariants/facts.ts'
import type { OperationFact } from '../invariants/state.ts'
import type { History } from './history.ts'

type Situation = (facts: Facts, history: History) => boolean

const operationOf = ({ state }: Facts, id: string): OperationFact | undefined =>
  state.operations.find(({ operation_id }) => operation_id === id)

const arrivedAfterSuccess = (facts: Facts, delivery: Delivery): boolean => {
  const operation = operationOf(facts, delivery.operationId)
  return operation?.state === 'SUCCEEDED' && (delivery.at ?? 0) > (operation.finished_at ?? Infinity)
}

const succeededAfter =
  (recording: string): Situation =>
  (facts, { calls }) =>
    calls.some(
      (call) => call.recording === recording && operationOf(facts, call.operationId)?.state === 'SUCCEEDED',
    )

/** Situations that some history must have met; without them the simulation proves less than it seems to. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a late answer after a takeover': (facts) =>
    facts.state.attempts.some(
      ({ operation_id, late }) => late && operationOf(facts, operation_id)?.state === 'TAKEN_OVER',
    ),
  'a late answer to a worker that lost its lease': ({ state }) => state.attempts.some(({ late }) => late),
  'an unknown commit that was applied, then success': succeededAfter('unknown-applied'),
  'an unknown commit that was not applied, then success': succeededAfter('unknown-not-applied'),
  'a DETACH refused because of an operation that then succeeded': ({ writes, state }) =>
    writes.some(
      ({ kind, responses }) => kind === 'DETACH' && responses[0]?.includes('OPERATION_IN_PROGRESS'),
    ) && state.operations.some((row) => row.state === 'SUCCEEDED'),
  'a DETACH after a failed UPGRADE, which succeeded': (facts) =>
    facts.state.operations.some(
      ({ takes_over, state }) =>
        takes_over !== null &&
        state === 'SUCCEEDED' &&
        operationOf(facts, takes_over)?.operation_type === 'UPGRADE',
    ),
  'a stale save that was repeated on the new snapshot and accepted': ({ writes }) =>
    writes.some(({ responses }, index) => {
      const next = writes.slice(index + 1).find(({ kind }) => kind === 'CONFIGURE')
      return responses[0]?.includes('CONFIGURATION_SNAPSHOT_STALE') === true && next?.result === 'accepted'
    }),
  'a save with two owners': ({ writes }) =>
    writes.some(({ kind, operations }) => kind === 'CONFIGURE' && operations.length > 1),
  'a concurrent retry and takeover, one of which was accepted': ({ writes }) =>
    writes.some(({ kind, result }, index) => {
      const other = writes[index + 1]
      const kinds = new Set([kind, other?.kind])
      return kinds.has('RETRY') && kinds.has('TAKEOVER') && result !== other?.result
    }),
  'a retry that succeeded': ({ state }) =>
    state.operations.some(({ run, state: now }) => run > 1 && now === 'SUCCEEDED'),
  'a DETACH that failed and was taken over': ({ state }) =>
    state.operations.some(
      ({ operation_type, state: now }) => operation_type === 'DETACH' && now === 'TAKEN_OVER',
    ),
  'a copy that arrived after the success': (facts) =>
    facts.deliveries.some((delivery) => delivery.isCopy === true && arrivedAfterSuccess(facts, delivery)),
  'an old attempt that arrived after the success': (facts) =>
    facts.deliveries.some((delivery) => delivery.isCopy !== true && arrivedAfterSuccess(facts, delivery)),
  'a call that a plugin refused because of a later operation': (_, { staleCalls }) => staleCalls > 0,
  'two plugins of one order, one of which failed': ({ state }) =>
    state.calls.some(
      (call) =>
        call.failed &&
        state.calls.some(
          (other) =>
            other.operation_id === call.operation_id &&
            other.stage === call.stage &&
            other.call_order === call.call_order &&
            other.ended_well,
        ),
    ),
  'a result that stayed unknown': ({ state }) =>
    state.operations.some(({ error_code }) => error_code === 'PLUGIN_RESULT_UNKNOWN'),
  'an accepted write whose first answer was lost': ({ writes }) =>
    writes.some(
      ({ result, requestIds, responses }) => result === 'accepted' && requestIds.length > responses.length,
    ),
  'an operation leased by three workers': ({ state }) =>
    state.operations.some(({ lease_epoch, run }) => run === 1 && lease_epoch >= 3),
}
