import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, groupBy } from './group.ts'

/**
 * I14: every committed step of an operation is told in its own transaction, ids are unique, and the versions of a
 * configuration are told in their order, each of them.
 */
export function events({ state, journal }: Facts): Violation[] {
  const found: Violation[] = []
  const ids = groupBy(state.events, ({ event_id }) => event_id)
  for (const [id, rows] of ids) if (rows.length > 1) found.push(broken('I14', `event ${id} is there twice`))

  const told = groupBy(state.events, ({ kind, object_id }) => `${kind} ${object_id}`)
  for (const { operation_id, bundle_install_id } of state.operations) {
    if (!told.has(`operation ${operation_id}`)) found.push(broken('I14', `${operation_id} was never told of`))
    if (!told.has(`installation ${bundle_install_id}`))
      found.push(broken('I14', `${bundle_install_id} was never told of`))
  }
  for (const { scope_id, snapshot_version } of state.scopes) {
    const versions = (told.get(`configuration ${scope_id}`) ?? []).map(({ version }) => version)
    // the first snapshot is that of the scope's making
    const expected = Array.from({ length: Math.max(0, snapshot_version - 1) }, (_, index) => index + 2)
    const unique = versions.filter((version, index) => version !== 1 && versions.indexOf(version) === index)
    if (unique.join() !== expected.join())
      found.push(broken('I14', `scope ${scope_id} at ${snapshot_version} told the versions ${unique.join()}`))
  }
  const toldIn = new Set(
    state.events.flatMap(({ kind, xid, object_id }) => (kind === 'operation' ? [`${xid} ${object_id}`] : [])),
  )
  for (const change of journal ?? []) {
    if (change.relation !== 'operation') continue
    const { before, after, xid, operation_id } = change
    const isStep =
      before?.state !== after?.state || before?.phase !== after?.phase || before?.run !== after?.run
    if (isStep && !toldIn.has(`${xid} ${operation_id}`))
      found.push(broken('I14', `${operation_id} became ${after?.state} and its transaction told nothing`))
  }
  return found
}
