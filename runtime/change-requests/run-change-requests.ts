import { sql } from 'kysely'

import { inTransaction, isConflict } from '#database/transaction.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { runEvery } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import { LIVE_STATES, isApproved } from '../engine/change-requests/transition.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Tx } from '../model/db.ts'
import {
  insertEntry,
  lockChangeRequest,
  readScopes,
  updateChangeRequest,
} from '../store/change-requests/change-requests.ts'
import type { ChangeRequestRow } from '../store/change-requests/change-requests.ts'
import { findDue, readTurn } from '../store/change-requests/list-change-requests.ts'
import { recordAudit, systemActor } from '../use-cases/audit/record.ts'
import { carryOut } from '../use-cases/change-requests/apply.ts'
import { auditOf, evaluateLocked, step, store } from '../use-cases/change-requests/steps.ts'
import type { LockedChange } from '../use-cases/change-requests/steps.ts'
import { stepOrConflict } from '../use-cases/change-requests/write.ts'
import { problemsOf } from '../use-cases/plans/plan-view.ts'

/** How many requests of each kind one look advances. */
const LOOK_MAX = 50

/**
 * What happens to change requests without a person: a request whose scope has moved is merged with it, a scheduled one is
 * applied, what is too late expires, what has been carried out ends, and what nobody has looked at is reported again.
 * Any number of replicas may do this on one database: each step locks its request and looks at it again.
 */
export function startChangeRequests(
  deps: RuntimeDeps,
  options: { everyMs: number; isPaused: () => Promise<boolean>; onStarted: () => void },
): PeriodicTask {
  return runEvery(
    deps,
    { everyMs: options.everyMs, failureMessage: 'change requests could not be advanced', first: 'later' },
    async (stopped) => {
      if (await options.isPaused()) return
      const due = await findDue(deps.db, LOOK_MAX)
      for (const { change_request_id: id } of due) {
        if (stopped.aborted) return
        // the others must not wait for this one
        const hasStarted = await advanceChangeRequest(deps, id).catch((error: unknown) => {
          deps.log.warn('a change request could not be advanced', { changeRequestId: id }, error)
          return false
        })
        if (hasStarted) options.onStarted()
      }
    },
  )
}

/** Advances a request by one step, in one transaction that locks it. Returns whether it started something. */
export function advanceChangeRequest(deps: RuntimeDeps, changeRequestId: string): Promise<boolean> {
  return inTransaction(deps.db, (tx) => advance(deps, tx, changeRequestId))
}

async function advance(deps: RuntimeDeps, tx: Tx, changeRequestId: string): Promise<boolean> {
  const row = await lockChangeRequest(tx, changeRequestId)
  if (row === undefined) return false
  const system = systemActor(changeRequestId)
  if (row.state === 'APPLYING') {
    await finish(tx, row)
    return false
  }
  if (row.state === 'DRAFT' || !LIVE_STATES.some((state) => state === row.state)) return false
  const locked = await evaluateLocked(tx, deps, row, await readScopes(tx, changeRequestId))
  const { facts, evaluated } = locked
  const turn = await readTurn(tx, row)
  if (turn.isOver) {
    const message = platformMessage('changeTooLate', { until: row.not_after ?? '' })
    await store(tx, deps, locked, {
      state: step(row, 'expire', facts),
      values: {
        code: 'CHANGE_REQUEST_STATE',
        message: message.message,
        parameters: JSON.stringify(message.parameters),
      },
      entry: { actor: system, event: 'EXPIRED' },
    })
    return false
  }
  if (row.state === 'SCHEDULED' && turn.hasBegun && evaluated.conflicts.length === 0 && isApproved(facts))
    return applyScheduled(deps, tx, locked)
  const state = stepOrConflict(locked, 'rebase')
  const isOtherEffect = row.effect !== evaluated.plan.effect
  await store(tx, deps, locked, {
    state,
    // a base that moved without a consequence is shown as the snapshot that it is based on
    ...(state !== row.state || isOtherEffect
      ? { entry: { actor: system, event: state === 'CONFLICTED' ? 'CONFLICTED' : 'REBASED' } }
      : turn.needsReminder && { entry: { actor: system, event: 'REMINDED' } }),
  })
  return false
}

/** Ends a request whose operations and batch have ended. What it asked for was discarded when it was applied. */
async function finish(tx: Tx, row: ChangeRequestRow): Promise<void> {
  const { change_request_id: changeRequestId, revision } = row
  const due = await findDue(tx, LOOK_MAX)
  if (!due.some((one) => one.change_request_id === changeRequestId && one.due === 'result')) return
  // no approval counts for it any more
  const state = step(row, 'finish', { approvals: 0, needed: 0, hasSchedule: false })
  await updateChangeRequest(tx, changeRequestId, { state, hasEnded: true })
  const actor = systemActor(changeRequestId)
  await insertEntry(tx, { changeRequestId, actor, event: 'APPLIED', revision })
}

/** What ends without anybody changing the request: until the schedule is over, it is tried again. */
const PASSING: ReadonlySet<string> = new Set([
  'OPERATION_IN_PROGRESS',
  'OPERATION_CLAIM_HELD',
  'CHANGES_FROZEN',
  // somebody saved while it was being applied: it is merged first
  'PLAN_STALE',
  'CONFIGURATION_SNAPSHOT_STALE',
])

async function applyScheduled(deps: RuntimeDeps, tx: Tx, locked: LockedChange): Promise<boolean> {
  const { row, facts, evaluated, scopes } = locked
  const actor = { ...row.actor, requestId: row.change_request_id }
  await sql`savepoint applied`.execute(tx)
  try {
    const applying = await store(tx, deps, locked, {
      state: step(row, 'apply', facts),
      entry: { actor, event: 'APPLYING' },
    })
    await recordAudit(tx, actor, { action: 'change.apply', ...auditOf(row, scopes), reason: row.reason })
    await carryOut(
      { tx, deps, actor, comparing: 'never' },
      { row: applying, evaluated },
      { planToken: evaluated.plan.planToken, reason: undefined },
    )
    return true
  } catch (error) {
    // repeats the transaction
    if (isConflict(error)) throw error
    if (!(error instanceof DomainError)) throw error
    await sql`rollback to savepoint applied`.execute(tx)
    if (PASSING.has(error.code)) return false
    const [problem] = problemsOf(error)
    await store(tx, deps, locked, {
      state: step(row, 'refuse', facts),
      values: {
        code: error.code,
        message: problem?.message ?? error.message,
        parameters: problem?.parameters === undefined ? null : JSON.stringify(problem.parameters),
      },
      entry: { actor: systemActor(row.change_request_id), event: 'REFUSED', text: null },
    })
    await recordAudit(tx, actor, {
      action: 'change.apply',
      ...auditOf(row, scopes),
      outcome: 'REFUSED',
      errorCode: error.code,
    })
    return false
  }
}
