import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import type { Facts } from './facts.ts'
import type { InstallationFact, OperationFact } from './state.ts'

/**
 * I12: the state and version of an installation are those of its last succeeded operation, and its installed resources
 * are those of the last plan that was applied. An operation before AFTER_RESOURCES has changed none of them.
 */
export function* installedState({ state }: Facts): Generator<Violation> {
  const operations = Map.groupBy(state.operations, (row) => row.bundle_install_id)
  const resources = Map.groupBy(state.resources, (row) => row.bundle_install_id)
  for (const installation of state.installations) {
    const id = installation.bundle_install_id
    const ofInstallation = operations.get(id) ?? []
    yield* stateOf(installation, ofInstallation)
    const last = ofInstallation.findLast((row) => row.state === 'SUCCEEDED')
    // the resources of this operation were applied, even if it has not finished or was taken over
    const applied = ofInstallation.findLast(
      (row) => row.operation_type !== 'DETACH' && (row.phase === 'AFTER_RESOURCES' || row.phase === 'DONE'),
    )
    const plan = last?.operation_type === 'DETACH' || applied === undefined ? [] : applied.resources
    if (plan === null) continue
    const expected = plan
      .filter(({ action }) => action !== 'DETACH')
      .map(({ locator, targetVersion }) => `${locator} ${targetVersion}`)
    const actual = (resources.get(id) ?? []).map(({ locator, version }) => `${locator} ${version}`)
    if (expected.toSorted().join() !== actual.toSorted().join())
      yield broken('I12', `${id} has ${actual.join()} installed instead of ${expected.join()}`)
  }
}

function* stateOf(
  { bundle_install_id: id, state, version }: InstallationFact,
  operations: readonly OperationFact[],
): Generator<Violation> {
  const succeeded = operations.filter((row) => row.state === 'SUCCEEDED')
  const last = succeeded.at(-1)?.operation_type
  const expected = last === undefined ? 'NOT_INSTALLED' : last === 'DETACH' ? 'DETACHED' : 'ACTIVE'
  if (state !== expected) yield broken('I12', `${id} is ${state} and should be ${expected}`)
  const target = succeeded.findLast(
    ({ operation_type }) => operation_type === 'INSTALL' || operation_type === 'UPGRADE',
  )?.target_version
  if ((version ?? null) !== (target ?? null))
    yield broken('I12', `${id} is at ${version} and should be at ${target}`)
}

/** I16: the protected property is the id of the installation, wherever it is stored. */
export function* instanceRef({ state }: Facts): Generator<Violation> {
  const isId = (value: unknown, id: string): boolean =>
    typeof value === 'object' && value !== null && 'value' in value && value.value === id
  for (const { instance_ref, bundle_install_id, locator } of state.resources)
    if (instance_ref !== null && !isId(instance_ref, bundle_install_id))
      yield broken('I16', `the instanceRefProperty of the installed ${locator} was changed`)
  for (const { property, value, bundle_install_id, locator } of state.properties)
    if (property === 'instanceRefProperty' && !isId(value, bundle_install_id))
      yield broken('I16', `the instanceRefProperty of ${locator} was changed`)
}
