import { sql } from 'kysely'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { isBusy, isUnavailable } from '#database/unreachable.ts'
import { inTransaction, isConflict } from '#database/transaction.ts'
import { batchStep } from '../engine/batches/batch-step.ts'
import { DomainError } from '../engine/refusals.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { BatchProgress } from '../model/batch-progress.ts'
import type { Tx } from '../model/db.ts'
import { readProgress } from '../store/batches/batch-progress.ts'
import {
  lockUnfinished,
  moveBatch,
  nextPending,
  noteStartFailure,
  refuseItem,
  restBetweenWaves,
  scopeOfItem,
  settleItems,
  skipPending,
  startedItem,
} from '../store/batches/run-items.ts'
import type { LockedBatch, PendingItem, Refused } from '../store/batches/run-items.ts'
import { readApprovalBasis, readApprovals } from '../store/change-requests/change-requests.ts'
import { findInstallation } from '../store/installations/installations.ts'
import { problemsOf } from '../use-cases/plans/plan-view.ts'
import { recordRefusal } from '../use-cases/batches/record-refusal.ts'
import { startItem } from '../use-cases/batches/start-item.ts'
import { strictestPolicy } from '../use-cases/change-requests/policies.ts'
import { countingApprovals } from '../use-cases/change-requests/steps.ts'

/** What one step did: `started` an item, or the batch has to wait. */
export type Advance = 'started' | 'moved' | 'waiting'

/** An unexpected error while this item started. */
class StartFailure extends Error {
  readonly batch: LockedBatch
  readonly item: PendingItem
  constructor(batch: LockedBatch, item: PendingItem, cause: unknown) {
    super('an item could not be started', { cause })
    this.batch = batch
    this.item = item
  }
}

const START_FAILURES_MAX = 3

/**
 * Advances a batch by one step, in one transaction that locks it: records results, then starts one item, pauses, stops
 * or finishes. The operation of an item and the record that it has started commit together, so a crash at any moment
 * leaves neither or both.
 */
export async function advanceBatch(deps: RuntimeDeps, batchId: string): Promise<Advance> {
  try {
    return await inTransaction(deps.db, (tx) => advance(deps, tx, batchId))
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error
    // without a database nothing can start; a lock that is held too long may concern this item alone
    if (isUnavailable(error.cause) && !isBusy(error.cause)) throw error
    deps.log.error('an item of a batch could not be started', { batchId }, error.cause)
    await giveUpLater(deps, error)
    return 'waiting'
  }
}

async function advance(deps: RuntimeDeps, tx: Tx, batchId: string): Promise<Advance> {
  const batch = await lockUnfinished(tx, batchId)
  if (batch === undefined) return 'waiting'
  await settleItems(tx, batchId)
  const progress = (await readProgress(tx, [batchId])).get(batchId)
  if (progress === undefined) throw new Error('a locked batch has no progress')
  const step = batchStep(progress)
  switch (step.kind) {
    case 'wait':
      return 'waiting'
    case 'hold':
      await restBetweenWaves(tx, batchId, soakLeft(progress))
      return 'waiting'
    case 'start':
      await startNext(deps, tx, batch)
      return 'started'
    case 'pause':
      await moveBatch(tx, batchId, { state: 'PAUSED', because: step.because })
      return 'moved'
    case 'stop':
      await skipPending(tx, batchId)
      await moveBatch(tx, batchId, { state: 'STOPPED', because: step.because })
      return 'moved'
    case 'finish': {
      const state = batch.state === 'STOPPED' ? 'STOPPED' : 'DONE'
      await moveBatch(tx, batchId, { state, because: batch.because, isFinished: true })
      return 'moved'
    }
  }
}

/** Seconds until the soak time ends; without one, conditions can change at any time. */
function soakLeft({ next }: BatchProgress): number {
  const left = next === null ? 0 : next.waves.soakSeconds - next.soaked
  return left > 0 ? left : Infinity
}

async function startNext(deps: RuntimeDeps, tx: Tx, batch: LockedBatch): Promise<void> {
  const item = await nextPending(tx, batch.batch_id)
  if (item === undefined) throw new Error('A batch with pending items has none')
  await sql`savepoint item`.execute(tx)
  try {
    await startedItem(
      tx,
      item,
      await startItem(
        {
          tx,
          deps,
          actor: batch.actor,
          comparing: 'never',
          isItem: true,
          ...(batch.change_request_id !== null && { isStored: true as const }),
          // an override is checked for each item, and so is a policy that asks for more approvals than there are
          ...(!batch.overrides && (await hasApprovals(tx, batch, item)) && { isApproved: true as const }),
        },
        batch,
        item,
      ),
    )
  } catch (error) {
    // repeats the transaction
    if (isConflict(error)) throw error
    if (!(error instanceof DomainError)) throw new StartFailure(batch, item, error)
    await sql`rollback to savepoint item`.execute(tx)
    const [problem] = problemsOf(error)
    await refuse(tx, batch, item, {
      code: error.code,
      message: problem?.message ?? error.message,
      parameters: problem?.parameters,
      locator: problem?.locator,
      property: problem?.property,
    })
  }
}

/**
 * Whether the change request of a batch has the approvals that the policies require now, if it needed any. A stronger policy is for all
 * that has not begun.
 */
async function hasApprovals(tx: Tx, batch: LockedBatch, item: PendingItem): Promise<boolean> {
  if (batch.change_request_id === null || batch.action === 'RETRY') return false
  const request = await readApprovalBasis(tx, batch.change_request_id)
  if (request.approvals_needed === 0) return false
  const policy = await strictestPolicy(tx, [await scopeOfItem(tx, item)], ['BATCH', batch.action])
  const needed = policy?.approvals ?? 0
  if (needed <= request.approvals_needed) return true
  const approvals = await readApprovals(tx, request.change_request_id)
  return countingApprovals(approvals, request, request.effect).length >= needed
}

async function refuse(tx: Tx, batch: LockedBatch, item: PendingItem, refused: Refused): Promise<void> {
  await refuseItem(tx, item, refused)
  const scope = await scopeOfItem(tx, item)
  const installation =
    item.bundle_install_id === null ? undefined : await findInstallation(tx, item.bundle_install_id)
  await recordRefusal(tx, batch.actor, batch, {
    target: item.target,
    subject: installation?.title ?? scopeText(scope),
    ...(item.bundle_install_id !== null && { bundleInstallId: item.bundle_install_id }),
    scope,
    errorCode: refused.code,
  })
}

/** After several unexpected errors the item is refused, so that the others get their turn. */
function giveUpLater(deps: RuntimeDeps, { batch, item }: StartFailure): Promise<void> {
  return inTransaction(deps.db, async (tx) => {
    const failures = await noteStartFailure(tx, item)
    if (failures < START_FAILURES_MAX) return
    await refuse(tx, batch, item, {
      code: 'BATCH_ITEM_NOT_STARTED',
      ...platformMessage('batchItemNotStarted'),
    })
  })
}
