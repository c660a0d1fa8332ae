import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, groupBy } from './group.ts'
import type { OperationChange } from './journal.ts'

/** I6: the epoch of an operation never falls, and nobody writes who has lost it. */
export function fencing({ state, journal }: Facts): Violation[] {
  const found: Violation[] = []
  const epochs = new Map(state.operations.map((row) => [row.operation_id, row.lease_epoch]))
  for (const [operationId, attempts] of groupBy(state.attempts, (row) => row.operation_id)) {
    const inTime = attempts.toSorted((a, b) => a.started_at - b.started_at)
    inTime.forEach((attempt, index) => {
      const before = inTime[index - 1]
      if (
        before !== undefined &&
        before.started_at < attempt.started_at &&
        before.lease_epoch > attempt.lease_epoch
      )
        found.push(broken('I6', `${operationId}: epoch ${attempt.lease_epoch} after ${before.lease_epoch}`))
      if (attempt.lease_epoch > (epochs.get(String(operationId)) ?? 0))
        found.push(broken('I6', `${operationId} has an attempt of an epoch that it never had`))
      const next = inTime.find((other) => other.lease_epoch > attempt.lease_epoch)
      const isAnswered = attempt.http_status !== null && !attempt.late
      if (isAnswered && next !== undefined && (attempt.finished_at ?? 0) > next.started_at)
        found.push(
          broken('I6', `${operationId}: an answer of epoch ${attempt.lease_epoch} counted after its end`),
        )
    })
  }
  for (const change of journal ?? []) if (change.relation === 'operation') found.push(...held(change))
  return found
}

/** A change of an operation that a worker holds is made by that worker and in its time, or it is the next claim. */
function held({ operation_id, at, actor, before, after }: OperationChange): Violation[] {
  if (before === null || after === null) return []
  const found: Violation[] = []
  if (after.lease_epoch < before.lease_epoch) found.push(broken('I6', `the epoch of ${operation_id} fell`))
  if (after.lease_epoch > before.lease_epoch) {
    if (before.available_at > at + LEEWAY_MS)
      found.push(broken('I6', `${operation_id} was claimed ${before.available_at - at} ms before it was due`))
    return found
  }
  if (before.lease_owner === null) return found
  if (before.available_at < at - LEEWAY_MS)
    found.push(broken('I6', `${operation_id} was changed ${at - before.available_at} ms after its lease`))
  if (actor !== null && actor !== before.lease_owner)
    found.push(broken('I6', `${operation_id} was changed by ${actor}, but held by ${before.lease_owner}`))
  return found
}

/** Between a statement's look at the clock and the trigger's a real process may be stopped for a moment. */
const LEEWAY_MS = 250

/** I20: after its takeover nothing of an operation moves; answers that come late are kept and marked, no more. */
export function afterTakeover({ state, journal }: Facts): Violation[] {
  const found: Violation[] = []
  const created = new Map(state.operations.map((row) => [row.operation_id, row.created_at]))
  for (const row of state.operations) {
    if (row.state !== 'TAKEN_OVER') continue
    const end = created.get(row.taken_over_by ?? '')
    if (end === undefined) {
      found.push(broken('I20', `${row.operation_id} was taken over by nobody`))
      continue
    }
    for (const attempt of state.attempts.filter(({ operation_id }) => operation_id === row.operation_id)) {
      const name = `${row.operation_id} ${attempt.stage} ${attempt.plugin_id} ${attempt.attempt}`
      if (attempt.started_at > end) found.push(broken('I20', `${name} was begun after the takeover`))
      if ((attempt.finished_at ?? 0) > end && !attempt.late)
        found.push(broken('I20', `${name} was answered after the takeover and is not marked as late`))
    }
  }
  const over = new Set<string>()
  for (const change of journal ?? []) {
    if (change.relation === 'operation' && change.after?.state === 'TAKEN_OVER') over.add(change.operation_id)
    else if (change.relation === 'plugin_call' && over.has(change.operation_id))
      found.push(broken('I20', `a call of ${change.operation_id} was changed after the takeover`))
  }
  return found
}
