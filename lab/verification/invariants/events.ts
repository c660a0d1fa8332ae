import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { State } from './state.ts'

/**
 * I14: every committed step of an operation has an event in its own transaction, event ids are unique, and each version of
 * a configuration has its event, in order. A recovery deletes all events, so then only later changes are judged.
 */
export function* events({ state, journal }: Facts): Generator<Violation> {
  for (const [id, rows] of Map.groupBy(state.events, ({ event_id }) => event_id))
    if (rows.length > 1) yield broken('I14', `event ${id} exists twice`)

  const recoveredAt = state.recoveries[0]?.recovered_at ?? null
  if (recoveredAt === null) yield* eventsOfObjects(state)
  const eventsOfOperations = new Set(
    state.events.flatMap(({ kind, xid, object_id }) => (kind === 'operation' ? [`${xid} ${object_id}`] : [])),
  )
  for (const change of journal ?? []) {
    if (change.relation !== 'operation' || change.at <= (recoveredAt ?? 0)) continue
    const { before, after, xid, operation_id } = change
    const isStep =
      before?.state !== after?.state || before?.phase !== after?.phase || before?.run !== after?.run
    if (isStep && !eventsOfOperations.has(`${xid} ${operation_id}`))
      yield broken('I14', `${operation_id} became ${after?.state} in a transaction without an event`)
  }
}

function* eventsOfObjects(state: State): Generator<Violation> {
  const byObject = Map.groupBy(state.events, ({ kind, object_id }) => `${kind} ${object_id}`)
  for (const { operation_id, bundle_install_id } of state.operations)
    for (const object of [`operation ${operation_id}`, `installation ${bundle_install_id}`])
      if (!byObject.has(object)) yield broken('I14', `${object} has no event`)
  for (const { scope_id, snapshot_version } of state.scopes) {
    const versions = (byObject.get(`configuration ${scope_id}`) ?? []).map(({ version }) => version)
    // version 1 is created with the scope; a save of a local service sends the current version once more
    let next = 2
    for (const version of versions) if (version === next) next++
    if (next <= snapshot_version || versions.some((version) => (version ?? 0) > snapshot_version))
      yield broken('I14', `scope ${scope_id} at ${snapshot_version} has events of ${versions.join()}`)
  }
}
