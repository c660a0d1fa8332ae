import type { Delivery } from '../invariants/evidence.ts'
import type { Facts } from '../invariants/facts.ts'
import type { OperationFact } from '../invariants/state.ts'
import type { History } from './history.ts'

type Sometimes = (facts: Facts, history: History) => boolean

const ended = ({ state }: Facts, id: string): OperationFact | undefined =>
  state.operations.find(({ operation_id }) => operation_id === id)

const afterItsEnd = (facts: Facts, delivery: Delivery): boolean => {
  const operation = ended(facts, delivery.operationId)
  return operation?.state === 'SUCCEEDED' && (delivery.at ?? 0) > (operation.finished_at ?? Infinity)
}

const recorded =
  (database: string) =>
  (facts: Facts, { flights }: History): boolean =>
    flights.some(
      (flight) => flight.database === database && ended(facts, flight.operationId)?.state === 'SUCCEEDED',
    )

/** What must have happened in some history, else the simulation shows less than it seems to. */
export const SOMETIMES: Readonly<Record<string, Sometimes>> = {
  'a late answer after a takeover': ({ state }) =>
    state.attempts.some(({ operation_id, late }) => {
      const operation = state.operations.find((row) => row.operation_id === operation_id)
      return late && operation?.state === 'TAKEN_OVER'
    }),
  'a late answer of a worker that lost its lease': ({ state }) => state.attempts.some(({ late }) => late),
  'a commit that nobody knew of, then success': recorded('unknown-applied'),
  'a commit that never was, then success': recorded('unknown-not-applied'),
  'a DETACH refused beside an operation that then succeeded': ({ writes, state }) =>
    writes.some(({ kind, answers }) => kind === 'DETACH' && answers[0]?.includes('OPERATION_IN_PROGRESS')) &&
    state.operations.some((row) => row.state === 'SUCCEEDED'),
  'a DETACH after a failed UPGRADE, which succeeded': ({ state }) =>
    state.operations.some(
      (row) =>
        row.takes_over !== null &&
        row.state === 'SUCCEEDED' &&
        state.operations.some(
          (other) => other.operation_id === row.takes_over && other.operation_type === 'UPGRADE',
        ),
    ),
  'a save that lost, looked again and won': ({ writes }) =>
    writes.some(({ answers }, index) => {
      const next = writes.slice(index + 1).find(({ kind }) => kind === 'CONFIGURE')
      return answers[0]?.includes('CONFIGURATION_SNAPSHOT_STALE') === true && next?.told === 'accepted'
    }),
  'a save over two owners': ({ writes }) =>
    writes.some(({ kind, operations }) => kind === 'CONFIGURE' && operations.length > 1),
  'a retry and a takeover at once, of which one won': ({ writes }) =>
    writes.some(({ kind, told }, index) => {
      const other = writes[index + 1]
      const kinds = new Set([kind, other?.kind])
      return kinds.has('RETRY') && kinds.has('TAKEOVER') && told !== other?.told
    }),
  'a retry that helped': ({ state }) =>
    state.operations.some(({ run, state: now }) => run > 1 && now === 'SUCCEEDED'),
  'a DETACH that failed and was taken over': ({ state }) =>
    state.operations.some(
      ({ operation_type, state: now }) => operation_type === 'DETACH' && now === 'TAKEN_OVER',
    ),
  'a copy that arrived after the success': (facts) =>
    facts.deliveries.some((delivery) => delivery.isCopy === true && afterItsEnd(facts, delivery)),
  'an old attempt that arrived after the success': (facts) =>
    facts.deliveries.some((delivery) => delivery.isCopy !== true && afterItsEnd(facts, delivery)),
  'a call that a plugin refused because of a later operation': (_, { refusedAsStale }) => refusedAsStale > 0,
  'two plugins of one order, of which one failed': ({ state }) =>
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
  'an accepted write whose answer was lost at first': ({ writes }) =>
    writes.some(({ told, requestIds, answers }) => told === 'accepted' && requestIds.length > answers.length),
  'an operation that three workers were at': ({ state }) =>
    state.operations.some(({ lease_epoch, run }) => run === 1 && lease_epoch >= 3),
}
