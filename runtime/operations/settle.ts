import { emitEvents } from '../events/emit.ts'
import { advanceScope } from '../store/configuration/advance-scope.ts'
import { deleteProperties } from '../store/configuration/delete-properties.ts'
import { insertSnapshotChanges } from '../store/configuration/insert-snapshot-changes.ts'
import { insertSnapshot } from '../store/configuration/insert-snapshot.ts'
import { putProperties } from '../store/configuration/put-properties.ts'
import { deleteResources } from '../store/operations/delete-resources.ts'
import { lockScopeOf } from '../store/operations/lock-scope-of.ts'
import { putResourceWrites } from '../store/operations/put-resource-writes.ts'
import { readInstallationProperties } from '../store/operations/read-installation-properties.ts'
import { readKnownSensitivity } from '../store/operations/read-known-sensitivity.ts'
import { settleInstallation } from '../store/operations/settle-installation.ts'
import type { Tx } from '../world.ts'
import { configurationChanges } from './configuration-changes.ts'
import type { ConfigurationChange } from './configuration-changes.ts'
import { mergedWrites } from './merged-writes.ts'
import type { CallWrites } from './merged-writes.ts'
import type { FrozenPlan } from './plan.ts'
import type { OperationRow } from './view.ts'

/**
 * Everything that the success of an operation changes outside its own row: the configuration of the scope as one
 * snapshot, the ledger, the installation. In the transaction of that success.
 */
export async function settle(
  tx: Tx,
  { operation, plan, calls }: { operation: OperationRow; plan: FrozenPlan; calls: readonly CallWrites[] },
): Promise<void> {
  const { operation_type, bundle_install_id } = operation
  const changes = configurationChanges({
    operationType: operation_type,
    plan,
    writes: mergedWrites(calls, operation_type),
    current: await readInstallationProperties(tx, bundle_install_id),
  })
  if (changes.length > 0) await writeSnapshot(tx, operation, changes)
  // the ledger of a DETACH stands until here, so that plugins can still resolve their references in its stages
  if (operation_type === 'DETACH') await deleteResources(tx, bundle_install_id, 'all')
  else await putResourceWrites(tx, bundle_install_id, mergedWrites(calls, operation_type, 'AFTER_RESOURCES'))
  await settleInstallation(tx, operation)
}

async function writeSnapshot(
  tx: Tx,
  operation: OperationRow,
  changes: readonly ConfigurationChange[],
): Promise<void> {
  const scopeId = operation.scope_id
  const savedBy = { id: operation.requested_by_id, name: operation.requested_by_name }
  const scope = await lockScopeOf(tx, scopeId)
  const next = await advanceScope(tx, scopeId, scope.snapshot_version, savedBy)
  if (next === undefined) throw new Error('the scope moved on while it was locked')
  const at = { scopeId, snapshotVersion: next.snapshot_version }
  await insertSnapshot(tx, {
    ...at,
    savedAt: next.saved_at,
    savedBy,
    reason: operation.reason,
    cause: operation.operation_type,
    operationId: operation.operation_id,
  })
  await insertSnapshotChanges(tx, at, await withSensitivity(tx, scopeId, changes))
  await putProperties(
    tx,
    at,
    changes.flatMap(({ locator, property, after }) =>
      after === null
        ? []
        : [{ bundleInstallId: operation.bundle_install_id, locator, property, value: after }],
    ),
  )
  await deleteProperties(
    tx,
    scopeId,
    changes.filter(({ after }) => after === null),
  )
  await emitEvents(tx, [
    { kind: 'configuration', scopeId, objectId: String(scopeId), version: next.snapshot_version },
  ])
}

/** A property that is defined no more was sensitive if it was so when it last changed, or if nobody knows. */
async function withSensitivity(
  tx: Tx,
  scopeId: number,
  changes: readonly ConfigurationChange[],
): Promise<(ConfigurationChange & { isSensitive: boolean })[]> {
  const undefinedNow = changes.filter(({ isSensitive }) => isSensitive === null)
  const known = await readKnownSensitivity(tx, scopeId, undefinedNow)
  return changes.map((change) => {
    const before = known.find(
      ({ locator, property }) => locator === change.locator && property === change.property,
    )
    return { ...change, isSensitive: change.isSensitive ?? before?.is_sensitive ?? true }
  })
}
