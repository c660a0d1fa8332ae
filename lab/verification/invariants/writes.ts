import type { Violation } from '../suite.ts'
import type { ClientWrite } from './evidence.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { State } from './state.ts'

/** I11: what was acknowledged to a client exists; a retry with the same key gets the same response. */
export function* acknowledged({ state, writes }: Facts): Generator<Violation> {
  const operations = new Map(state.operations.map((row) => [row.operation_id, row]))
  const makers = new Map<string, ClientWrite>()
  for (const write of writes) {
    const responses = new Set(write.responses)
    if (responses.size > 1) yield broken('I11', `${nameOf(write)} got ${responses.size} different responses`)
    if (write.result !== 'accepted') continue
    for (const { operationId, operationType, executionSequence } of write.operations) {
      const row = operations.get(operationId)
      if (row === undefined)
        yield broken('I11', `${nameOf(write)} was answered with an operation that is lost`)
      else if (row.operation_type !== operationType || row.execution_sequence !== executionSequence)
        yield broken('I11', `${nameOf(write)} was answered with an operation that has changed`)
      if (write.kind === 'RETRY') continue
      const other = makers.get(operationId)
      if (other !== undefined)
        yield broken('I12', `${nameOf(write)} and ${nameOf(other)} created the same operation`)
      makers.set(operationId, write)
    }
  }
}

const MAKER = {
  INSTALL: 'installation.install',
  UPGRADE: 'installation.upgrade',
  CONFIGURE: 'configuration.save',
  DETACH: 'installation.detach',
} as const

/**
 * I12 and I13: a write is done completely or not at all. Each operation has exactly one audit entry for its creation
 * and one for each retry; an accepted write has its entries, a rejected one none with the outcome DONE. What a write has
 * compared with hidden values is audited whether or not it was accepted, and counts for none of these.
 */
export function* allOrNothing({ state, writes, journal }: Facts): Generator<Violation> {
  const done = state.audit.filter(
    ({ outcome, action }) => outcome === 'DONE' && action !== 'configuration.compare',
  )
  for (const row of state.operations) {
    const actions = done.flatMap((entry) => (entry.operation_id === row.operation_id ? [entry.action] : []))
    const makers = actions.filter((action) => action !== 'operation.retry')
    const expected = row.takes_over !== null ? 'operation.takeover' : MAKER[row.operation_type]
    if (makers.length !== 1 || makers[0] !== expected)
      yield broken('I13', `${row.operation_id} has the audit entries [${makers.join(', ')}]`)
    const retries = actions.length - makers.length
    if (retries !== row.run - 1)
      yield broken('I13', `${row.operation_id} is in run ${row.run} with ${retries} retries in the audit`)
    if (row.resources === null || row.plugins === null) yield broken('I12', `${row.operation_id} has no plan`)
  }
  const known = new Set(state.operations.map(({ operation_id }) => operation_id))
  for (const { operation_id, action } of state.audit)
    if (operation_id !== null && !known.has(operation_id))
      yield broken('I12', `the audit has ${action} of ${operation_id}, which does not exist`)
  for (const write of writes) if (write.requestIds.length > 0) yield* entriesOf(write, done)
  yield* inOneTransaction(journal ?? [])
}

function* entriesOf(write: ClientWrite, done: State['audit']): Generator<Violation> {
  const entries = done.filter(({ request_id }) => write.requestIds.includes(request_id))
  const started = new Set(write.operations.map(({ operationId }) => operationId))
  switch (write.result) {
    case 'accepted':
      if (entries.length !== started.size || entries.some((entry) => !started.has(entry.operation_id ?? '')))
        yield broken(
          'I13',
          `${nameOf(write)} created ${started.size} operations and ${entries.length} audit entries`,
        )
      return
    case 'refused':
      if (entries.length > 0)
        yield broken('I12', `${nameOf(write)} was refused and left ${entries.length} audit entries`)
      return
    case 'unknown':
      // a save may have several owners, each with an operation and an entry
      if (entries.length > 1 && write.kind !== 'CONFIGURE')
        yield broken('I12', `${nameOf(write)} was done ${entries.length} times`)
  }
}

/** The transaction that creates an operation, or its next run, also writes the audit entry. */
function* inOneTransaction(journal: NonNullable<Facts['journal']>): Generator<Violation> {
  const audited = new Set(
    journal.flatMap(({ relation, xid, operation_id }) =>
      relation === 'audit_entry' ? [`${xid} ${operation_id}`] : [],
    ),
  )
  for (const { relation, xid, operation_id, before, after } of journal) {
    if (relation !== 'operation') continue
    const isRequested = before === null || (after !== null && before.run !== after.run)
    if (isRequested && !audited.has(`${xid} ${operation_id}`))
      yield broken('I13', `${operation_id} was changed in one transaction and audited in another`)
  }
}

const nameOf = ({ kind, requestIds }: ClientWrite): string => `${kind} ${requestIds[0] ?? ''}`
