import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { OperationChange } from './journal.ts'

/** A real process may be suspended for a moment between a statement's reading of the clock and the trigger's. */
const TOLERANCE_MS = 250

/** I6: the lease epoch of an operation never decreases, and a worker that lost the lease writes nothing. */
export function* fencing({ state, journal }: Facts): Generator<Violation> {
  const epochs = new Map(state.operations.map((row) => [row.operation_id, row.lease_epoch]))
  for (const [operationId, attempts] of Map.groupBy(state.attempts, (row) => row.operation_id)) {
    const inTime = attempts.toSorted((a, b) => a.started_at - b.started_at)
    for (const [index, attempt] of inTime.entries()) {
      const { lease_epoch: epoch, started_at: startedAt } = attempt
      const previous = inTime[index - 1]
      if (previous !== undefined && previous.started_at < startedAt && previous.lease_epoch > epoch)
        yield broken('I6', `${operationId}: epoch ${epoch} after ${previous.lease_epoch}`)
      if (epoch > (epochs.get(operationId) ?? 0))
        yield broken('I6', `${operationId} has an attempt of epoch ${epoch}, which it never reached`)
      const next = inTime.find((other) => other.lease_epoch > epoch)
      const isAnswered = attempt.http_status !== null && !attempt.late
      if (isAnswered && next !== undefined && (attempt.finished_at ?? 0) > next.started_at)
        yield broken('I6', `${operationId}: an answer of epoch ${epoch} counted after its end`)
    }
  }
  for (const change of journal ?? []) if (change.relation === 'operation') yield* leased(change)
}

/** A leased operation is changed by its worker and before the lease ends, or leased by another one after that. */
function* leased({ operation_id, at, actor, before, after }: OperationChange): Generator<Violation> {
  if (before === null || after === null) return
  if (after.lease_epoch < before.lease_epoch) yield broken('I6', `the epoch of ${operation_id} decreased`)
  if (after.lease_epoch > before.lease_epoch) {
    if (before.available_at > at + TOLERANCE_MS)
      yield broken('I6', `${operation_id} was leased ${before.available_at - at} ms before it was due`)
    return
  }
  if (before.lease_owner === null) return
  // a recovery, which no worker does
  if (after.in_doubt_since !== null && after.in_doubt_since !== before.in_doubt_since) return
  if (before.available_at < at - TOLERANCE_MS)
    yield broken('I6', `${operation_id} was changed ${at - before.available_at} ms after its lease`)
  if (actor !== null && actor !== before.lease_owner)
    yield broken('I6', `${operation_id} was changed by ${actor}, but leased by ${before.lease_owner}`)
}

/** I20: after its takeover an operation's plugins are not called again; late responses are recorded as late. */
export function* afterTakeover({ state, journal }: Facts): Generator<Violation> {
  const created = new Map(state.operations.map((row) => [row.operation_id, row.created_at]))
  for (const row of state.operations.filter((one) => one.state === 'TAKEN_OVER')) {
    const end = created.get(row.taken_over_by ?? '')
    if (end === undefined) {
      yield broken('I20', `${row.operation_id} was taken over by no operation`)
      continue
    }
    for (const attempt of state.attempts.filter(({ operation_id }) => operation_id === row.operation_id)) {
      const name = `${row.operation_id} ${attempt.stage} ${attempt.plugin_id} ${attempt.attempt}`
      if (attempt.started_at > end) yield broken('I20', `${name} was started after the takeover`)
      if ((attempt.finished_at ?? 0) > end && !attempt.late)
        yield broken('I20', `${name} was answered after the takeover and is not marked as late`)
    }
  }
  const takenOver = new Set<string>()
  for (const change of journal ?? []) {
    if (change.relation === 'operation' && change.after?.state === 'TAKEN_OVER')
      takenOver.add(change.operation_id)
    else if (change.relation === 'plugin_call' && takenOver.has(change.operation_id))
      yield broken('I20', `a call of ${change.operation_id} was changed after the takeover`)
  }
}
