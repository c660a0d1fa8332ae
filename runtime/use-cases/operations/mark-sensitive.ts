import { MASK } from '#contract/protocol/data.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { emitEvents } from '../../store/events.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { maskFailure } from '../../engine/calls/failures.ts'
import { sealNewlySensitive, putMarks, readMarksSince } from '../../store/configuration/sensitivity.ts'
import { putDefinitions, readLedger } from '../../store/installations/ledger.ts'
import { findTakenOver, putFailure } from '../../store/operations/operations.ts'
import { readCallsWithoutRequests } from '../../store/operations/calls.ts'
import { readPlan } from '../../store/operations/plans.ts'
import type { FrozenPlan, Marks } from '../../model/plan.ts'
import { sensitiveValues, markDefinitions, withMarks } from '../../engine/calls/sensitive-values.ts'
import type { Vault } from '../../model/vault.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

/**
 * Marks the properties that the plan of an INSTALL or UPGRADE newly defines as sensitive. Runs in the transaction that
 * freezes the plan: from then on no response shows their values, whether the operation succeeds or not. Configuration,
 * history and ledger are sealed here; older operations, causes and audit entries are masked on read.
 */
export async function markSensitive(
  tx: Tx,
  vault: Vault,
  operation: OperationRow,
  plan: FrozenPlan,
): Promise<void> {
  const isUpgrade = operation.operation_type === 'UPGRADE'
  const ledger = isUpgrade ? await readLedger(tx, vault, [operation.bundle_install_id]) : []
  const marks = newMarks(plan, ledger)
  const properties = [...marks].flatMap(([locator, names]) =>
    [...names].map((property) => ({ scopeId: operation.scope_id, locator, property })),
  )
  if (properties.length === 0) return
  await putMarks(tx, properties)
  await sealNewlySensitive(tx, vault, properties)
  for (const row of ledger) {
    const marked = marks.get(row.locator)
    if (marked !== undefined)
      await putDefinitions(tx, vault, { ...row, definitions: markDefinitions(row.definitions, marked) })
  }
  // an ACTIVE installation has no operation that was taken over: a takeover detaches it
  if (!isUpgrade) await maskFailures(tx, vault, await findTakenOver(tx, operation))
}

function newMarks(plan: FrozenPlan, ledger: readonly LedgerRow[]): Marks {
  const marks = new Map<string, ReadonlySet<string>>()
  for (const { locator, action, definitions } of plan.resources) {
    if (action === 'DETACH') continue
    const installed = resourceAt(ledger, locator)?.definitions ?? {}
    const names = Object.entries(definitions)
      .filter(
        ([property, { isSensitive }]) =>
          isSensitive === true && getOwn(installed, property)?.isSensitive !== true,
      )
      .map(([property]) => property)
    if (names.length > 0) marks.set(locator, new Set(names))
  }
  return marks
}

/** Lists and events show an operation's failure without reading its plan, so the stored failure is masked. */
async function maskFailures(tx: Tx, vault: Vault, operations: readonly OperationRow[]): Promise<void> {
  for (const operation of operations) {
    const { operation_id: operationId, scope_id: scopeId, failure } = operation
    if (failure === null) continue
    const masked = await maskedOf(tx, vault, operationId, failure)
    if (masked.message === failure.message) continue
    await putFailure(tx, operationId, masked)
    await emitEvents(tx, [{ kind: 'operation', scopeId, objectId: operationId }])
  }
}

/** A failure of an operation without the values that are sensitive now; without its message if they are unknown. */
export async function maskedOf(
  db: Db,
  vault: Vault,
  operationId: string,
  failure: Failure,
): Promise<Failure> {
  try {
    const plan = withMarks(await readPlan(db, vault, operationId), await readMarksSince(db, operationId))
    const writes = (await readCallsWithoutRequests(db, vault, operationId)).map((call) => call.writes)
    return maskFailure(failure, sensitiveValues(plan, writes))
  } catch {
    // the secrets of a damaged plan are unknown, and it must not block an INSTALL
    return { ...failure, message: MASK }
  }
}
