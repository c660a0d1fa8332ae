import type { Violation } from '../suite.ts'
import type { ClientWrite } from './evidence.ts'
import type { Facts } from './facts.ts'
import { broken } from './group.ts'
import type { OperationChange } from './journal.ts'
import type { AuditFact, State } from './state.ts'

/** I11: what a client was told is there; asked again under the same key it is told the same. */
export function acknowledged({ state, writes }: Facts): Violation[] {
  const found: Violation[] = []
  const operations = new Map(state.operations.map((row) => [row.operation_id, row]))
  const tellers = new Map<string, ClientWrite>()
  for (const write of writes) {
    if (new Set(write.answers).size > 1)
      found.push(broken('I11', `${nameOf(write)} was answered in ${new Set(write.answers).size} ways`))
    if (write.told !== 'accepted') continue
    for (const told of write.operations) {
      const row = operations.get(told.operationId)
      if (row === undefined)
        found.push(broken('I11', `${nameOf(write)} was told of an operation that is lost`))
      else if (row.operation_type !== told.operationType || row.execution_sequence !== told.executionSequence)
        found.push(broken('I11', `${nameOf(write)} was told of an operation that is another now`))
      const other = tellers.get(told.operationId)
      if (other !== undefined && write.kind !== 'RETRY')
        found.push(broken('I12', `${nameOf(write)} and ${nameOf(other)} made the same operation`))
      if (write.kind !== 'RETRY') tellers.set(told.operationId, write)
    }
  }
  return found
}

/**
 * I12 and I13: a write is done whole or not at all. Each operation has the one audit entry of what made it, each retry
 * one more; an accepted write has its entries, a refused one none that says DONE.
 */
export function allOrNothing({ state, writes, journal }: Facts): Violation[] {
  const found: Violation[] = []
  for (const row of state.operations) {
    const entries = doneFor(state, row.operation_id)
    const makers = entries.filter(({ action }) => action !== 'operation.retry').map(({ action }) => action)
    const expected = row.takes_over !== null ? 'operation.takeover' : MAKER[row.operation_type]
    if (makers.length !== 1 || makers[0] !== expected)
      found.push(broken('I13', `${row.operation_id} has the audit entries [${makers.join(', ')}]`))
    const retries = entries.length - makers.length
    if (retries !== row.run - 1)
      found.push(
        broken('I13', `${row.operation_id} is in run ${row.run} with ${retries} retries in the audit`),
      )
    if (row.resources === null || row.plugins === null)
      found.push(broken('I12', `${row.operation_id} has no plan`))
  }
  const known = new Set(state.operations.map(({ operation_id }) => operation_id))
  for (const { operation_id, action } of state.audit)
    if (operation_id !== null && !known.has(operation_id))
      found.push(broken('I12', `the audit tells ${action} of ${operation_id}, which is not there`))
  for (const write of writes) if (write.requestIds.length > 0) found.push(...entriesOf(write, state))
  if (journal !== null) found.push(...inOneTransaction(journal))
  return found
}

const MAKER = {
  INSTALL: 'installation.install',
  UPGRADE: 'installation.upgrade',
  CONFIGURE: 'configuration.save',
  DETACH: 'installation.detach',
} as const

const doneFor = (state: State, operationId: string): AuditFact[] =>
  state.audit.filter((row) => row.operation_id === operationId && row.outcome === 'DONE')

function entriesOf(write: ClientWrite, state: State): Violation[] {
  const entries = state.audit.filter(
    ({ request_id, outcome }) => outcome === 'DONE' && write.requestIds.includes(request_id),
  )
  const told = new Set(write.operations.map(({ operationId }) => operationId))
  switch (write.told) {
    case 'accepted': {
      const isExact =
        entries.length === told.size && entries.every(({ operation_id }) => told.has(operation_id ?? ''))
      return isExact
        ? []
        : [broken('I13', `${nameOf(write)} made ${told.size} operations and ${entries.length} audit entries`)]
    }
    case 'refused':
      return entries.length === 0
        ? []
        : [broken('I12', `${nameOf(write)} was refused and left ${entries.length} audit entries`)]
    case 'unknown':
      // a save may have several owners, each with an operation and an entry
      return entries.length <= 1 || write.kind === 'CONFIGURE'
        ? []
        : [broken('I12', `${nameOf(write)} was done ${entries.length} times`)]
  }
}

/** The audit entry is made by the very transaction that makes the operation, or its next run. */
function inOneTransaction(journal: NonNullable<Facts['journal']>): Violation[] {
  const audited = new Set(
    journal.flatMap(({ relation, xid, operation_id }) =>
      relation === 'audit_entry' ? [`${xid} ${operation_id}`] : [],
    ),
  )
  const asked = journal.filter(
    (change): change is OperationChange =>
      change.relation === 'operation' &&
      (change.before === null || (change.after !== null && change.before.run !== change.after.run)),
  )
  return asked
    .filter(({ xid, operation_id }) => !audited.has(`${xid} ${operation_id}`))
    .map(({ operation_id }) =>
      broken('I13', `${operation_id} was changed in one transaction and audited in another`),
    )
}

const nameOf = ({ kind, requestIds }: ClientWrite): string => `${kind} ${requestIds[0] ?? ''}`
