import { emitEvents } from '../store/events.ts'
import { advanceScopes, lockScopes } from '../store/configuration/scopes.ts'
import {
  deleteProperties,
  putProperties,
  readInstallationProperties,
} from '../store/configuration/properties.ts'
import { insertSnapshotChanges, insertSnapshots } from '../store/configuration/snapshots.ts'
import { emptyLedgers, putResourceWrites } from '../store/installations/ledger.ts'
import { sealNewlySensitive, readKnownSensitivity } from '../store/configuration/sensitivity.ts'
import { refKey } from '../engine/changes/compare.ts'
import type { PropertyRef } from '../engine/changes/compare.ts'
import { newlySensitive, configurationChanges, mergedWrites } from '../engine/steps/plugin-writes.ts'
import type { ConfigurationChange } from '../engine/steps/plugin-writes.ts'
import type { FrozenPlan, Writes } from '../model/plan.ts'
import type { Vault } from '../model/vault.ts'
import type { Tx } from '../model/db.ts'
import type { CallWrites } from '../model/call.ts'
import type { OperationRow } from '../model/operation.ts'

/** An operation that succeeds. */
export interface Success {
  operation: OperationRow
  plan: FrozenPlan
  calls: readonly CallWrites[]
}

/** Whether a success with these writes may change the configuration of its scope. */
export function mayChangeConfiguration(
  { operation_type: type }: OperationRow,
  writes: readonly (Writes | null)[],
): boolean {
  // the save has stored its own values already, so for a CONFIGURE only the plugins' writes remain
  return type !== 'CONFIGURE' || writes.some((written) => written !== null && Object.keys(written).length > 0)
}

/**
 * Applies the success of operations to the configurations of their scopes, with one snapshot for each operation that
 * changes something, and to the ledgers. Runs in the transaction of the success.
 */
export async function applySuccess(tx: Tx, vault: Vault, successes: readonly Success[]): Promise<void> {
  if (successes.length === 0) return
  const changing = successes.filter(({ operation, calls }) =>
    mayChangeConfiguration(
      operation,
      calls.map(({ writes }) => writes),
    ),
  )
  const current = await readInstallationProperties(
    tx,
    vault,
    changing.map(({ operation }) => operation.bundle_install_id),
  )
  const changed = changing.flatMap(({ operation, plan, calls }): Changed[] => {
    const { operation_type: operationType, bundle_install_id } = operation
    const changes = configurationChanges({
      operationType,
      plan,
      writes: mergedWrites(calls, operationType),
      current: current.get(bundle_install_id) ?? new Map(),
    })
    return changes.length === 0 ? [] : [{ operation, changes }]
  })
  await writeSnapshots(tx, vault, changed)
  await sealNewlySensitive(
    tx,
    vault,
    changing.flatMap(({ operation, plan }) =>
      newlySensitive(plan, current.get(operation.bundle_install_id) ?? new Map()).map((property) => ({
        ...property,
        scopeId: operation.scope_id,
      })),
    ),
  )
  // the ledger of a DETACH exists until here, so that plugins can still resolve their references during its stages
  const detached = successes.filter(({ operation }) => operation.operation_type === 'DETACH')
  const detachedIds = detached.map(({ operation }) => operation.bundle_install_id)
  await emptyLedgers(tx, detachedIds)
  await putResourceWrites(
    tx,
    vault,
    successes
      .filter((success) => !detached.includes(success))
      .flatMap(({ operation: { bundle_install_id, operation_type }, calls }) =>
        Object.entries(mergedWrites(calls, operation_type, 'AFTER_RESOURCES')).map(
          ([locator, properties]) => ({ bundleInstallId: bundle_install_id, locator, properties }),
        ),
      ),
  )
}

interface Changed {
  operation: OperationRow
  changes: readonly ConfigurationChange[]
}

/** One snapshot per operation, even if several operations of one scope succeed together. */
async function writeSnapshots(tx: Tx, vault: Vault, changed: readonly Changed[]): Promise<void> {
  if (changed.length === 0) return
  const byScope = Map.groupBy(changed, ({ operation }) => operation.scope_id)
  const versions = await lockScopes(tx, [...byScope.keys()], { skipLocked: false })
  const versionOf = (scopeId: number): number => {
    const version = versions.get(scopeId)
    if (version === undefined) throw new Error('the scope of an operation is missing')
    return version
  }
  const savedAt = await advanceScopes(
    tx,
    [...byScope].map(([scopeId, ofScope]) => ({
      scopeId,
      from: versionOf(scopeId),
      by: ofScope.length,
      savedBy: savedBy(ofScope.at(-1)!.operation),
    })),
  )
  const snapshots = [...byScope].flatMap(([scopeId, ofScope]) =>
    ofScope.map(({ operation, changes }, index) => ({
      operation,
      changes,
      scopeId,
      snapshotVersion: versionOf(scopeId) + index + 1,
    })),
  )
  await insertSnapshots(
    tx,
    snapshots.map(({ operation, scopeId, snapshotVersion }) => ({
      scopeId,
      snapshotVersion,
      savedAt: savedAt.get(scopeId)!,
      savedBy: savedBy(operation),
      reason: operation.reason,
      cause: operation.operation_type,
      operationId: operation.operation_id,
    })),
  )
  const changes = snapshots.flatMap(({ operation, changes: ofOne, scopeId, snapshotVersion }) =>
    ofOne.map((change) => ({
      ...change,
      scopeId,
      snapshotVersion,
      bundleInstallId: operation.bundle_install_id,
    })),
  )
  await insertSnapshotChanges(tx, vault, await withSensitivity(tx, changes))
  await putProperties(
    tx,
    vault,
    changes.flatMap(({ after, manager, ...change }) =>
      after === null || manager === null ? [] : [{ ...change, manager, value: after }],
    ),
  )
  await deleteProperties(
    tx,
    changes.filter(({ after }) => after === null),
  )
  await emitEvents(
    tx,
    snapshots.map(({ scopeId, snapshotVersion }) => ({
      kind: 'configuration',
      scopeId,
      objectId: String(scopeId),
      version: snapshotVersion,
    })),
  )
}

function savedBy(operation: OperationRow): { id: string; name: string } {
  return { id: operation.requested_by_id, name: operation.requested_by_name }
}

/** A property that is no longer defined counts as sensitive if it was when it last changed, or if that is unknown. */
async function withSensitivity<Change extends ConfigurationChange & { scopeId: number }>(
  tx: Tx,
  changes: readonly Change[],
): Promise<(Change & { isSensitive: boolean })[]> {
  const known = await readKnownSensitivity(
    tx,
    changes.filter(({ isSensitive }) => isSensitive === null),
  )
  const keyOf = (one: { scopeId: number } & PropertyRef): string => `${one.scopeId} ${refKey(one)}`
  const before = new Map(known.map((one) => [keyOf(one), one.isSensitive]))
  return changes.map((change) => ({
    ...change,
    isSensitive: change.isSensitive ?? before.get(keyOf(change)) ?? true,
  }))
}
