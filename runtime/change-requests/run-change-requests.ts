import { sql } from 'kysely'

import { inTransaction, isConflict } from '#database/transaction.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { runEvery } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import { isApproved } from '../engine/change-requests/transition.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Tx } from '../model/db.ts'
import {
  insertEntry,
  lockChangeRequest,
  readScopes,
  updateChangeRequest,
} from '../store/change-requests/change-requests.ts'
import type { ChangeRequestRow } from '../store/change-requests/change-requests.ts'
import { DUE, findDue, readDue } from '../store/change-requests/due-change-requests.ts'
import type { Turns } from '../store/change-requests/due-change-requests.ts'
import { recordAudit, systemActor } from '../use-cases/audit/record.ts'
import { carryOut } from '../use-cases/change-requests/apply.ts'
import { auditOf, evaluateLocked, step, store } from '../use-cases/change-requests/steps.ts'
import type { LockedChange } from '../use-cases/change-requests/steps.ts'
import { stepOrConflict } from '../use-cases/change-requests/write.ts'
import { problemsOf } from '../use-cases/plans/plan-view.ts'

/** How many requests of each kind one look advances. */
const LOOK_MAX = 50
/** For how long one look judges requests again: who saves in many scopes must not keep what is scheduled waiting. */
const JUDGING_MS_MAX = 250

/**
 * What happens to change requests without a person: a request whose scope has moved is merged with it, a scheduled one is
 * applied, what is too late expires, what has been carried out ends, and what nobody has looked at is reported again.
 * Any number of replicas may do this on one database: each step locks its request and looks at it again.
 */
export function startChangeRequests(
  deps: RuntimeDeps,
  options: { everyMs: number; isPaused: () => Promise<boolean>; onStarted: () => void },
): PeriodicTask {
  const turns: Turns = {}
  return runEvery(
    deps,
    { everyMs: options.everyMs, failureMessage: 'change requests could not be advanced', first: 'later' },
    async (stopped) => {
      if (await options.isPaused()) return
      const found = await findDue(deps.db, turns, LOOK_MAX)
      for (const due of DUE) {
        const ids = found.filter((one) => one.due === due).map((one) => one.change_request_id)
        // those at the beginning have their turn again
        if (ids.length < LOOK_MAX) delete turns[due]
        const begun = deps.clock.monotonic()
        for (const id of ids) {
          if (stopped.aborted) return
          // the others must not wait for this one
          const hasStarted = await advanceChangeRequest(deps, id).catch((error: unknown) => {
            deps.log.warn('a change request could not be advanced', { changeRequestId: id }, error)
            return false
          })
          if (hasStarted) options.onStarted()
          const isOut = due === 'judgement' && deps.clock.monotonic() - begun >= JUDGING_MS_MAX
          if (isOut || ids.length === LOOK_MAX) turns[due] = id
          if (isOut) break
        }
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
  const due = await readDue(tx, row)
  if (!DUE.some((one) => due[one])) return false
  if (row.state === 'APPLYING') {
    await finish(tx, row)
    return false
  }
  const system = systemActor(changeRequestId)
  const locked = await evaluateLocked(tx, deps, row, await readScopes(tx, changeRequestId))
  const { facts, evaluated } = locked
  if (due.end) {
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
  if (due.turn && evaluated.conflicts.length === 0 && isApproved(facts)) {
    const result = await applyScheduled(deps, tx, locked)
    if (result !== 'waits') return result === 'started'
    if (!due.judgement) return false
  }
  const state = stepOrConflict(locked, 'rebase')
  const isOtherEffect = row.effect !== evaluated.plan.effect
  await store(tx, deps, locked, {
    state,
    // a scope that moved without a consequence is shown as the snapshot that it is based on
    ...(state !== row.state || isOtherEffect
      ? { entry: { actor: system, event: state === 'CONFLICTED' ? 'CONFLICTED' : 'REBASED' } }
      : due.reminder && { entry: { actor: system, event: 'REMINDED' } }),
  })
  return false
}

/** Ends a request whose operations and batch have ended. What it asked for was discarded when it was applied. */
async function finish(tx: Tx, row: ChangeRequestRow): Promise<void> {
  const { change_request_id: changeRequestId, revision } = row
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

async function applyScheduled(
  deps: RuntimeDeps,
  tx: Tx,
  locked: LockedChange,
): Promise<'started' | 'waits' | 'refused'> {
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
    return 'started'
  } catch (error) {
    // repeats the transaction
    if (isConflict(error)) throw error
    if (!(error instanceof DomainError)) throw error
    await sql`rollback to savepoint applied`.execute(tx)
    if (PASSING.has(error.code)) return 'waits'
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
    return 'refused'
  }
}
