import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken } from './group.ts'

const UNFINISHED = new Set(['PENDING', 'RUNNING', 'WAITING'])

/** I10: when faults are over, everything has ended or waits for a person, and no lease is left behind. */
export function quiescence({ state, isQuiet }: Facts): Violation[] {
  if (!isQuiet) return []
  return state.operations.flatMap((row) => {
    if (UNFINISHED.has(row.state))
      return [
        broken('I10', `${row.operation_id} (${row.operation_type}) is still ${row.state} in ${row.phase}`),
      ]
    if (row.lease_owner !== null) return [broken('I10', `${row.operation_id} is ${row.state} and leased`)]
    return []
  })
}
