import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { Change } from './journal.ts'
import { isUnfinished } from './state.ts'

/** I10: when faults are over, each operation has ended or waits for a person, and no lease is left. */
export function* quiescence({ state, isQuiet }: Facts): Generator<Violation> {
  if (!isQuiet) return
  for (const row of state.operations) {
    if (isUnfinished(row))
      yield broken('I10', `${row.operation_id} (${row.operation_type}) is still ${row.state} in ${row.phase}`)
    else if (row.lease_owner !== null) yield broken('I10', `${row.operation_id} is ${row.state} and leased`)
  }
}

/** I8: an operation that succeeded or was taken over never changes again, nor does a call that succeeded. */
export function* finished({ journal }: Facts): Generator<Violation> {
  for (const change of journal ?? []) {
    const found = problemOf(change)
    if (found !== null) yield broken(found.promise, `${change.operation_id} ${found.seen}`)
  }
}

function problemOf(change: Change): Violation | null {
  if (change.relation === 'operation') {
    const { before, after } = change
    if (before === null) return null
    if (after === null) return broken('I8', 'was deleted')
    const isNamingItsSuccessor =
      before.state === 'TAKEN_OVER' && JSON.stringify(before) === JSON.stringify(after)
    if ((before.state === 'SUCCEEDED' || before.state === 'TAKEN_OVER') && !isNamingItsSuccessor)
      return broken('I8', `was ${before.state} and was changed`)
    if (before.state === 'FAILED' && !mayFollowFailure(before, after))
      return broken('I8', `went from FAILED to ${after.state} without a retry or a takeover`)
    return phaseIndex(after) < phaseIndex(before) ? broken('I3', `went back to ${after.phase}`) : null
  }
  if (change.relation === 'plugin_call') {
    const { before, after } = change
    if (before === null) return null
    if (after === null) return broken('I8', 'lost a call')
    const name = `${before.stage} ${before.plugin_id}`
    if (before.request !== null && before.request !== after.request)
      return broken('I2', `has a new request for ${name}`)
    const hasChanged = !after.ended_well || before.outcome !== after.outcome || before.writes !== after.writes
    return before.ended_well && hasChanged ? broken('I8', `changed ${name}, which had succeeded`) : null
  }
  return change.before === null ? null : broken('I13', 'lost or changed an audit entry')
}

function mayFollowFailure(before: { run: number }, after: { state: string; run: number }): boolean {
  if (after.state === 'TAKEN_OVER') return after.run === before.run
  return after.state === 'RUNNING' && after.run === before.run + 1
}

const PHASES = ['BEFORE_RESOURCES', 'RESOURCES', 'AFTER_RESOURCES', 'DONE'] as const

const phaseIndex = ({ phase }: { phase: (typeof PHASES)[number] }): number => PHASES.indexOf(phase)
