import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, groupBy } from './group.ts'
import type { OperationFact } from './state.ts'

const UNFINISHED = new Set(['PENDING', 'RUNNING', 'WAITING'])

/** I4: an installation has one unfinished operation at most; the claim stands as long as the operation needs it. */
export function claims({ state, journal }: Facts): Violation[] {
  const found: Violation[] = []
  for (const [installation, operations] of groupBy(state.operations, (row) => row.bundle_install_id)) {
    const holders = operations.filter(({ holds_claim }) => holds_claim)
    if (holders.length > 1) found.push(broken('I4', `${installation} is claimed ${holders.length} times`))
    for (const row of operations) {
      const needs = UNFINISHED.has(row.state) || row.state === 'FAILED'
      if (row.holds_claim !== needs)
        found.push(
          broken('I4', `${row.operation_id} is ${row.state} and ${needs ? 'has no' : 'keeps its'} claim`),
        )
    }
    operations.forEach((row, index) => {
      const before = operations[index - 1]
      if (before !== undefined) found.push(...follows(before, row))
    })
  }
  // whoever stood beside another in between
  const open = new Map<string, string>()
  for (const change of journal ?? []) {
    if (change.relation !== 'operation' || change.after === null) continue
    const { bundle_install_id: installation, holds_claim } = change.after
    const holder = open.get(installation)
    if (!holds_claim) {
      if (holder === change.operation_id) open.delete(installation)
    } else if (holder !== undefined && holder !== change.operation_id)
      found.push(broken('I4', `${change.operation_id} claimed ${installation} beside ${holder}`))
    else open.set(installation, change.operation_id)
  }
  return found
}

/** The next operation begins when the one before has let go of its claim. */
function follows(before: OperationFact, row: OperationFact): Violation[] {
  const isFree = before.state === 'SUCCEEDED' && (before.finished_at ?? Infinity) <= row.created_at
  const isTaken = before.state === 'TAKEN_OVER' && before.taken_over_by === row.operation_id
  if (isFree || (isTaken && row.takes_over === before.operation_id && row.operation_type === 'DETACH'))
    return []
  return [broken('I4', `${row.operation_id} followed on ${before.operation_id}, which is ${before.state}`)]
}

/** I5: the execution sequence grows with each operation of an installation, and never changes within one. */
export function sequences({ state, journal }: Facts): Violation[] {
  const found: Violation[] = []
  for (const { bundle_install_id, last_execution_sequence } of state.installations) {
    const operations = state.operations
      .filter((row) => row.bundle_install_id === bundle_install_id)
      .toSorted((a, b) => a.created_at - b.created_at)
    const used = operations.map(({ execution_sequence }) => execution_sequence)
    if (used.some((sequence, index) => index > 0 && sequence <= (used[index - 1] ?? 0)))
      found.push(broken('I5', `${bundle_install_id} has the sequences ${used.join(', ')}`))
    if (Math.max(0, ...used) > last_execution_sequence)
      found.push(broken('I5', `${bundle_install_id} could use sequence ${last_execution_sequence + 1} again`))
    if (operations.length === 0) found.push(broken('I12', `${bundle_install_id} has no operation`))
  }
  for (const change of journal ?? []) {
    if (change.relation !== 'operation' || change.before === null || change.after === null) continue
    if (change.before.execution_sequence !== change.after.execution_sequence)
      found.push(broken('I5', `the sequence of ${change.operation_id} changed`))
  }
  return found
}
