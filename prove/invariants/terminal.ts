import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken } from './group.ts'
import type { Change } from './journal.ts'

/** I8: what has ended stays as it is: an operation that succeeded or was taken over, and a call that ended well. */
export function terminal({ journal }: Facts): Violation[] {
  return (journal ?? []).flatMap((change) => {
    const wrong = problemOf(change)
    return wrong === null ? [] : [broken(wrong.promise, `${change.operation_id} ${wrong.seen}`)]
  })
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
    return phaseOf(after) < phaseOf(before) ? broken('I3', `went back to ${after.phase}`) : null
  }
  if (change.relation === 'plugin_call') {
    const { before, after } = change
    if (before === null) return null
    if (after === null) return broken('I8', 'lost a call')
    const name = `${before.stage} ${before.plugin_id}`
    if (before.request !== null && before.request !== after.request)
      return broken('I2', `has a new request for ${name}`)
    const hasMoved = !after.ended_well || before.outcome !== after.outcome || before.writes !== after.writes
    return before.ended_well && hasMoved ? broken('I8', `changed ${name}, which had ended well`) : null
  }
  return change.before === null ? null : broken('I13', 'lost or changed an entry of the audit')
}

function mayFollowFailure(before: { run: number }, after: { state: string; run: number }): boolean {
  if (after.state === 'TAKEN_OVER') return after.run === before.run
  return after.state === 'RUNNING' && after.run === before.run + 1
}

const PHASES = ['BEFORE_RESOURCES', 'RESOURCES', 'AFTER_RESOURCES', 'DONE'] as const

const phaseOf = ({ phase }: { phase: (typeof PHASES)[number] }): number => PHASES.indexOf(phase)
