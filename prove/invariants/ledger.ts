import type { Violation } from '../suite.ts'
import type { Facts } from './facts.ts'
import { broken, groupBy } from './group.ts'
import type { InstallationFact, OperationFact, ResourceFact, State } from './state.ts'

/**
 * I12: an operation that succeeded has done all that it was to do: the state and version of its installation, and the
 * ledger, are what the plan of the last one says; and one that has not begun its second stage has done nothing of it.
 */
export function ledger({ state }: Facts): Violation[] {
  const operations = groupBy(state.operations, (row) => row.bundle_install_id)
  const resources = groupBy(state.resources, (row) => row.bundle_install_id)
  return state.installations.flatMap((installation) => {
    const id = installation.bundle_install_id
    const own = operations.get(id) ?? []
    const done = own.findLast((row) => row.state === 'SUCCEEDED')
    // what was applied and not ended yet, or taken over after that
    const applied = own.findLast(
      (row) => row.operation_type !== 'DETACH' && (row.phase === 'AFTER_RESOURCES' || row.phase === 'DONE'),
    )
    return [
      ...standsAs(installation, done, own),
      ...holds(
        installation,
        resources.get(id) ?? [],
        done?.operation_type === 'DETACH' ? 'nothing' : applied,
      ),
    ]
  })
}

function standsAs(
  { bundle_install_id, state, version }: InstallationFact,
  done: OperationFact | undefined,
  operations: readonly OperationFact[],
): Violation[] {
  const expected =
    done === undefined ? 'NOT_INSTALLED' : done.operation_type === 'DETACH' ? 'DETACHED' : 'ACTIVE'
  const found: Violation[] = []
  if (state !== expected)
    found.push(broken('I12', `${bundle_install_id} is ${state} and should be ${expected}`))
  const last = operations.findLast(
    (row) =>
      row.state === 'SUCCEEDED' && (row.operation_type === 'INSTALL' || row.operation_type === 'UPGRADE'),
  )
  if ((version ?? null) !== (last?.target_version ?? null))
    found.push(
      broken('I12', `${bundle_install_id} is at ${version} and should be at ${last?.target_version}`),
    )
  return found
}

function holds(
  { bundle_install_id }: InstallationFact,
  resources: readonly ResourceFact[],
  applied: OperationFact | 'nothing' | undefined,
): Violation[] {
  const plan = applied === undefined || applied === 'nothing' ? [] : applied.resources
  if (plan === null) return []
  const name = ({ locator, version }: { locator: string; version: string }): string => `${locator} ${version}`
  const expected = plan
    .filter(({ action }) => action !== 'DETACH')
    .map(({ locator, targetVersion }) => name({ locator, version: targetVersion }))
    .toSorted()
  const there = resources.map(name).toSorted()
  return expected.join() === there.join()
    ? []
    : [broken('I12', `${bundle_install_id} has ${there.join()} installed instead of ${expected.join()}`)]
}

/** I16: the protected property is what the runtime made it: the installation's own id, wherever it stands. */
export function instanceRef({ state }: { state: State }): Violation[] {
  const wrong = (value: unknown, id: string): boolean =>
    !(typeof value === 'object' && value !== null && 'value' in value && value.value === id)
  return [
    ...state.resources
      .filter(({ instance_ref }) => instance_ref !== null)
      .filter(({ instance_ref, bundle_install_id }) => wrong(instance_ref, bundle_install_id))
      .map(({ locator }) => broken('I16', `the instanceRefProperty of ${locator} was changed in the ledger`)),
    ...state.properties
      .filter(({ property }) => property === 'instanceRefProperty')
      .filter(({ value, bundle_install_id }) => wrong(value, bundle_install_id))
      .map(({ locator }) => broken('I16', `the instanceRefProperty of ${locator} was changed`)),
  ]
}
