import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Admission } from '../gate/admit.ts'
import { emitEvents } from '../../store/events.ts'
import { claimProblem, DomainError, refuseFor } from '../../engine/refusals.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import { domainsOfPlan } from '../../engine/changes/gateway-domains.ts'
import { replaceDomains } from '../../store/configuration/gateway-domains.ts'
import { refuseLastSnapshot } from '../configuration/snapshot.ts'
import { claimHolders, insertOperation, lastNumbers } from '../../store/operations/operations.ts'
import { firstRequest } from '../../engine/steps/prepare-call.ts'
import { inCallOrder } from '../../engine/steps/next-step.ts'
import { insertPlan } from '../../store/operations/plans.ts'
import { markSensitive } from './mark-sensitive.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { InstallationColumns } from '../../model/installation.ts'

export interface Freeze {
  /** A new UUIDv7. */
  operationId: string
  /** Must exist in the database, in this transaction at the latest. */
  installation: InstallationColumns
  operationType: OperationType
  currentVersion: string | null
  targetVersion: string
  plan: FrozenPlan
  actor: Pick<Actor, 'id' | 'name'>
  reason: string | null
  /** That the gate admits it. */
  admission: Admission
  /** The operation whose claim moves to this one. This transaction must have released that claim. */
  takesOver?: string
}

/**
 * Creates an operation in the transaction of the request: the next executionSequence, the frozen plan, a call for each
 * plugin and stage, and the claim on the installation. It is PENDING and due immediately.
 *
 * Throws DomainError OPERATION_IN_PROGRESS if an unfinished operation has the claim, OPERATION_CLAIM_HELD if a FAILED
 * one has it, the problems of the gate, NUMBERS_USED_UP if the installation or its scope has no number left; the
 * transaction must then be rolled back.
 */
export async function freezeOperation(tx: Tx, vault: Vault, freeze: Freeze): Promise<OperationRow> {
  const { installation, plan, actor, admission } = freeze
  refuseFor(admission.problems)
  const [first] = inCallOrder(plan.plugins, freeze.operationType)
  const row = await insertOperation(tx, {
    operationId: freeze.operationId,
    bundleInstallId: installation.bundle_install_id,
    operationType: freeze.operationType,
    currentVersion: freeze.currentVersion,
    targetVersion: freeze.targetVersion,
    takesOver: freeze.takesOver ?? null,
    requestedById: actor.id,
    requestedByName: actor.name,
    reason: freeze.reason,
    overridden: admission.overridden,
    nextPlugin: first?.pluginId ?? '',
  })
  if (row === null) {
    await refuseIfClaimed(tx, [installation.bundle_install_id])
    await refuseIfUsedUp(tx, installation.bundle_install_id)
    throw new Error(
      `installation ${installation.bundle_install_id} could not be claimed, but no operation claims it`,
    )
  }
  if (freeze.operationType !== 'DETACH') await takeDomains(tx, row, plan)
  await insertPlan(tx, vault, row.operation_id, plan, firstRequest(row, plan))
  if (row.operation_type === 'INSTALL' || row.operation_type === 'UPGRADE')
    await markSensitive(tx, vault, row, plan)
  await emitEvents(tx, [
    { kind: 'operation', scopeId: row.scope_id, objectId: row.operation_id },
    { kind: 'installation', scopeId: row.scope_id, objectId: row.bundle_install_id },
  ])
  return row
}

async function refuseIfUsedUp(tx: Tx, bundleInstallId: string): Promise<void> {
  const numbers = await lastNumbers(tx, bundleInstallId)
  if (numbers === undefined) return
  refuseLastSnapshot(numbers.snapshot_version)
  if (numbers.last_execution_sequence < Number.MAX_SAFE_INTEGER) return
  throw new DomainError(
    'NUMBERS_USED_UP',
    platformMessage('sequenceUsedUp', { max: Number.MAX_SAFE_INTEGER }),
  )
}

/** Replaces the domains of the installation's gateways by those of the plan. A DETACH keeps them until it succeeds. */
async function takeDomains(tx: Tx, row: OperationRow, plan: FrozenPlan): Promise<void> {
  if (plan.resources.every(({ kind }) => kind !== 'GATEWAY')) return
  const owner = { environmentKey: row.environment_key, bundleInstallId: row.bundle_install_id }
  const taken = await replaceDomains(tx, owner, domainsOfPlan(plan.resources))
  // the others were used twice before domains were checked
  const isNew = isAmong(plan.changes)
  refuseFor(
    taken.filter(isNew).map(({ locator, property, domain }) => ({
      locator,
      property,
      errorCode: 'PROPERTY_INVALID',
      ...platformMessage('domainTakenElsewhere', { domain }),
    })),
  )
}

/** Refuses if an operation claims any of the installations; all such operations are listed. */
export async function refuseIfClaimed(db: Db, bundleInstallIds: readonly string[]): Promise<void> {
  const holders = await claimHolders(db, bundleInstallIds)
  const [first] = holders
  if (first === undefined) return
  const details = holders.map((holder) => claimProblem(holder.bundleId, holder))
  const problem = claimProblem(first.bundleId, first)
  throw new DomainError(problem.errorCode, problem, {
    // an unfinished operation ends automatically; a FAILED one waits for a person
    retryable: first.state !== 'FAILED',
    details,
  })
}
