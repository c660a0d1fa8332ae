import { isDeepStrictEqual } from 'node:util'
import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { ChangeFact, ScopeFact, State } from './state.ts'

/**
 * I7: the snapshots of a scope are one chain without gaps, each change starts from the value that the previous one
 * left, and the configuration is the end of the chain. Only a recovery leaves a gap. Each accepted save is one
 * snapshot and one CONFIGURE for each owner, and vice versa.
 */
export function* snapshots(facts: Facts): Generator<Violation> {
  for (const scope of facts.state.scopes) yield* chain(scope, facts.state)
  yield* saves(facts)
}

function* chain({ scope_id, snapshot_version }: ScopeFact, state: State): Generator<Violation> {
  const isInScope = (row: { scope_id: number }): boolean => row.scope_id === scope_id
  const versions = state.snapshots.filter(isInScope)
  let next = 1
  for (const row of versions) {
    if (row.is_recovery ? row.snapshot_version < next : row.snapshot_version !== next)
      yield broken('I7', `scope ${scope_id} has snapshot ${row.snapshot_version} in place of ${next}`)
    next = row.snapshot_version + 1
  }
  if (snapshot_version !== next - 1)
    yield broken('I7', `scope ${scope_id} is at ${snapshot_version}, and its last snapshot is ${next - 1}`)

  const last = new Map<string, ChangeFact>()
  for (const change of state.changes.filter(isInScope)) {
    const name = nameOf(change)
    const before = last.get(name)?.after ?? null
    if (!isSame(change, before, change.before))
      yield broken(
        'I7',
        `scope ${scope_id}: snapshot ${change.snapshot_version} changed ${name} from a wrong value`,
      )
    last.set(name, change)
  }
  for (const row of state.properties.filter(isInScope)) {
    const change = last.get(nameOf(row))
    last.delete(nameOf(row))
    if (change?.after == null || !isSame(change, row.value, change.after))
      yield broken('I7', `scope ${scope_id}: the value of ${nameOf(row)} is not that of its last change`)
  }
  for (const [name, { after }] of last)
    if (after !== null) yield broken('I7', `scope ${scope_id}: ${name} was set and is lost`)
}

/** A sensitive value is stored encrypted, differently each time; only whether it is set can be compared. */
function isSame({ is_sensitive }: ChangeFact, one: unknown, other: unknown): boolean {
  return is_sensitive ? (one === null) === (other === null) : isDeepStrictEqual(one, other)
}

const nameOf = ({ locator, property }: { locator: string; property: string }): string =>
  `${locator} ${property}`

/** The bundle of a locator: its first two segments. */
const bundleOf = (locator: string): string => locator.split('/').slice(0, 2).join('/')

function* saves({ state, writes }: Facts): Generator<Violation> {
  const saved = state.snapshots.filter(({ cause }) => cause === 'SAVE')
  const owners = saved.flatMap(({ scope_id, snapshot_version }) => {
    const changed = state.changes.filter(
      (row) => row.scope_id === scope_id && row.snapshot_version === snapshot_version,
    )
    return [...new Set(changed.map(({ locator }) => `${scope_id} ${bundleOf(locator)}`))]
  })
  const expected = Map.groupBy(owners, (owner) => owner)
  const configures = Map.groupBy(
    state.operations.filter(({ operation_type }) => operation_type === 'CONFIGURE'),
    ({ scope_id, bundle }) => `${scope_id} ${bundle}`,
  )
  for (const owner of new Set([...expected.keys(), ...configures.keys()])) {
    const count = expected.get(owner)?.length ?? 0
    const operations = configures.get(owner)?.length ?? 0
    if (count !== operations)
      yield broken('I7', `${owner} was saved ${count} times and has ${operations} CONFIGURE operations`)
  }
  const acknowledged = new Set<string>()
  for (const { snapshot, operations, result } of writes) {
    if (snapshot === undefined || result !== 'accepted' || operations.length === 0) continue
    const { scopeId, version, base } = snapshot
    const name = `${scopeId} ${version}`
    if (version !== base + 1) yield broken('I7', `a save based on ${base} created snapshot ${version}`)
    if (acknowledged.has(name)) yield broken('I7', `two saves were answered with snapshot ${name}`)
    acknowledged.add(name)
    if (!saved.some((row) => row.scope_id === scopeId && row.snapshot_version === version))
      yield broken('I11', `an accepted save is lost: snapshot ${name}`)
  }
}

/** A snapshot of an operation is created once, when the operation succeeds. */
export function* operationSnapshots({ state }: Facts): Generator<Violation> {
  const operations = new Map(state.operations.map((row) => [row.operation_id, row.state]))
  for (const [operationId, rows] of Map.groupBy(state.snapshots, (row) => row.operation_id)) {
    if (operationId === null) continue
    if (rows.length > 1) yield broken('I7', `${operationId} made ${rows.length} snapshots`)
    const now = operations.get(operationId)
    if (now !== 'SUCCEEDED') yield broken('I12', `${operationId} is ${now} and has changed the configuration`)
  }
}
