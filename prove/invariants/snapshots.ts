import { isDeepStrictEqual } from 'node:util'
import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, groupBy } from './group.ts'
import type { ChangeFact, ScopeFact, State } from './state.ts'

/**
 * I7: the snapshots of a scope are one chain without gaps, each change begins where the last one ended, and what stands
 * is the end of the chain. Each accepted save is one snapshot and one CONFIGURE for each owner, and the other way round.
 */
export function snapshots(facts: Facts): Violation[] {
  const { state } = facts
  return [...state.scopes.flatMap((scope) => chain(scope, state)), ...saves(facts)]
}

function chain(scope: ScopeFact, state: State): Violation[] {
  const { scope_id } = scope
  const found: Violation[] = []
  const versions = state.snapshots.filter((row) => row.scope_id === scope_id)
  versions.forEach(({ snapshot_version }, index) => {
    if (snapshot_version !== index + 1)
      found.push(broken('I7', `scope ${scope_id} has snapshot ${snapshot_version} in place ${index + 1}`))
  })
  if (scope.snapshot_version !== versions.length)
    found.push(
      broken('I7', `scope ${scope_id} is at ${scope.snapshot_version} with ${versions.length} snapshots`),
    )
  const changes = state.changes.filter((row) => row.scope_id === scope_id)
  const standing = replay(scope_id, changes, found)
  const properties = state.properties.filter((row) => row.scope_id === scope_id)
  for (const row of properties) {
    const expected = standing.get(nameOf(row))
    standing.delete(nameOf(row))
    if (expected?.after == null || !isSame(expected, row.value, expected.after))
      found.push(broken('I7', `scope ${scope_id}: ${nameOf(row)} stands otherwise than its last change`))
  }
  for (const [name, { after }] of standing)
    if (after !== null) found.push(broken('I7', `scope ${scope_id}: ${name} was set and is lost`))
  return found
}

/** The last change of each property, after seeing that each begins where the one before ended. */
function replay(
  scopeId: number,
  changes: readonly ChangeFact[],
  found: Violation[],
): Map<string, ChangeFact> {
  const standing = new Map<string, ChangeFact>()
  for (const change of changes) {
    const before = standing.get(nameOf(change))?.after ?? null
    if (!isSame(change, before, change.before))
      found.push(
        broken(
          'I7',
          `scope ${scopeId}: snapshot ${change.snapshot_version} changed ${nameOf(change)} from what was not there`,
        ),
      )
    standing.set(nameOf(change), change)
  }
  return standing
}

/** A sensitive value may be stored sealed, each time otherwise; of it only whether it is set can be compared. */
function isSame({ is_sensitive }: ChangeFact, one: unknown, other: unknown): boolean {
  return is_sensitive ? (one === null) === (other === null) : isDeepStrictEqual(one, other)
}

const nameOf = ({ locator, property }: { locator: string; property: string }): string =>
  `${locator} ${property}`

/** The bundle of a locator: its first two segments. */
const bundleOf = (locator: string): string => locator.split('/').slice(0, 2).join('/')

function saves({ state, writes }: Facts): Violation[] {
  const found: Violation[] = []
  const saved = state.snapshots.filter(({ cause }) => cause === 'SAVE')
  const owners = saved.flatMap(({ scope_id, snapshot_version }) => {
    const changed = state.changes.filter(
      (row) => row.scope_id === scope_id && row.snapshot_version === snapshot_version,
    )
    return [...new Set(changed.map(({ locator }) => `${scope_id} ${bundleOf(locator)}`))]
  })
  const expected = groupBy(owners, (owner) => owner)
  const configures = groupBy(
    state.operations.filter(({ operation_type }) => operation_type === 'CONFIGURE'),
    ({ scope_id, bundle }) => `${scope_id} ${bundle}`,
  )
  for (const owner of new Set([...expected.keys(), ...configures.keys()])) {
    const [snapshotCount, operationCount] = [
      expected.get(owner)?.length ?? 0,
      configures.get(owner)?.length ?? 0,
    ]
    if (snapshotCount !== operationCount)
      found.push(
        broken('I7', `${owner} was saved ${snapshotCount} times and has ${operationCount} CONFIGURE`),
      )
  }
  const versionsTold = new Set<string>()
  for (const { snapshot, operations, told } of writes) {
    if (snapshot === undefined || told !== 'accepted' || operations.length === 0) continue
    const name = `${snapshot.scopeId} ${snapshot.version}`
    if (snapshot.version !== snapshot.base + 1)
      found.push(broken('I7', `a save based on ${snapshot.base} made snapshot ${snapshot.version}`))
    if (versionsTold.has(name)) found.push(broken('I7', `two saves were told that they made ${name}`))
    versionsTold.add(name)
    const isThere = saved.some(
      (row) => row.scope_id === snapshot.scopeId && row.snapshot_version === snapshot.version,
    )
    if (!isThere) found.push(broken('I11', `an accepted save is lost: snapshot ${name}`))
  }
  return found
}

/** A snapshot of an operation is made by its success, and once. */
export function snapshotsOfOperations({ state }: Facts): Violation[] {
  const found: Violation[] = []
  const operations = new Map(state.operations.map((row) => [row.operation_id, row]))
  const made = groupBy(
    state.snapshots.filter(({ operation_id }) => operation_id !== null),
    ({ operation_id }) => operation_id ?? '',
  )
  for (const [operationId, rows] of made) {
    if (rows.length > 1) found.push(broken('I7', `${operationId} made ${rows.length} snapshots`))
    const state_ = operations.get(String(operationId))?.state
    if (state_ !== 'SUCCEEDED')
      found.push(broken('I12', `${operationId} is ${state_} and has changed the configuration`))
  }
  return found
}
