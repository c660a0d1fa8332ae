import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import { isUnfinished } from './state.ts'
import type { OperationFact } from './state.ts'

/** I4: an installation has at most one unfinished operation; the claim lasts as long as the operation needs it. */
export function* claims({ state, journal }: Facts): Generator<Violation> {
  for (const [installation, operations] of Map.groupBy(state.operations, (row) => row.bundle_install_id)) {
    const holders = operations.filter(({ holds_claim }) => holds_claim)
    if (holders.length > 1) yield broken('I4', `${installation} is claimed ${holders.length} times`)
    for (const [index, row] of operations.entries()) {
      const needsClaim = isUnfinished(row) || row.state === 'FAILED'
      if (row.holds_claim !== needsClaim)
        yield broken(
          'I4',
          `${row.operation_id} is ${row.state} and ${needsClaim ? 'has no' : 'still has its'} claim`,
        )
      const previous = operations[index - 1]
      if (previous !== undefined && !mayFollow(previous, row))
        yield broken('I4', `${row.operation_id} follows ${previous.operation_id}, which is ${previous.state}`)
    }
  }
  // the journal also shows claims that were released before the state was read
  const holders = new Map<string, string>()
  for (const change of journal ?? []) {
    if (change.relation !== 'operation' || change.after === null) continue
    const { bundle_install_id: installation, holds_claim } = change.after
    const holder = holders.get(installation)
    if (!holds_claim) {
      if (holder === change.operation_id) holders.delete(installation)
    } else if (holder !== undefined && holder !== change.operation_id)
      yield broken('I4', `${change.operation_id} claimed ${installation} while ${holder} held the claim`)
    else holders.set(installation, change.operation_id)
  }
}

/** An operation is created when the previous one has released its claim, or by taking it over. */
function mayFollow(previous: OperationFact, row: OperationFact): boolean {
  if (previous.state === 'SUCCEEDED') return (previous.finished_at ?? Infinity) <= row.created_at
  return (
    previous.state === 'TAKEN_OVER' &&
    previous.taken_over_by === row.operation_id &&
    row.takes_over === previous.operation_id &&
    row.operation_type === 'DETACH'
  )
}

/** I5: the execution sequence increases with each operation of an installation, and never changes within one. */
export function* sequences({ state, journal }: Facts): Generator<Violation> {
  for (const { bundle_install_id, last_execution_sequence } of state.installations) {
    const operations = state.operations
      .filter((row) => row.bundle_install_id === bundle_install_id)
      .toSorted((a, b) => a.created_at - b.created_at)
    const used = operations.map(({ execution_sequence }) => execution_sequence)
    if (used.some((sequence, index) => index > 0 && sequence <= (used[index - 1] ?? 0)))
      yield broken('I5', `${bundle_install_id} has the sequences ${used.join(', ')}`)
    if (Math.max(0, ...used) > last_execution_sequence)
      yield broken('I5', `${bundle_install_id} could use sequence ${last_execution_sequence + 1} again`)
    if (operations.length === 0) yield broken('I12', `${bundle_install_id} has no operation`)
  }
  for (const change of journal ?? []) {
    if (change.relation !== 'operation' || change.before === null || change.after === null) continue
    if (change.before.execution_sequence !== change.after.execution_sequence)
      yield broken('I5', `the sequence of ${change.operation_id} changed`)
  }
}
