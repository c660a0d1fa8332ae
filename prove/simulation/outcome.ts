import type { Facts } from '../invariants/facts.ts'

/** What became of the operations, without anything of time and chance. */
export function outcomeOf({ state }: Facts): string {
  const operations = state.operations.map((row) =>
    [row.bundle, row.execution_sequence, row.operation_type, row.state, row.run, row.error_code].join(' '),
  )
  return operations.toSorted().join('\n')
}
