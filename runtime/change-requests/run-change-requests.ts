import { sql } from 'kysely'

import { inTransaction, isConflict } from '#database/transaction.ts'
import { isBusy, isUnavailable } from '#database/unreachable.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { runEvery } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import { isApproved } from '../engine/change-requests/transition.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Tx } from '../model/db.ts'
import {
  findChangeRequest,
  insertEntry,
  lockFreeChangeRequest,
  readScopes,
  readSuccess,
  updateChangeRequest,
} from '../store/change-requests/change-requests.ts'
import type { ChangeRequestRow } from '../store/change-requests/change-requests.ts'
import { DUE, findDue, readDue } from '../store/change-requests/due-change-requests.ts'
import type { Due, Turns } from '../store/change-requests/due-change-requests.ts'
import { notifyAuthors } from '../store/inbox/notifications.ts'
import { recordAudit, systemActor } from '../use-cases/audit/record.ts'
import { carryOut } from '../use-cases/change-requests/apply.ts'
import {
  asksForMore,
  auditOf,
  evaluateRow,
  factsOfRequest,
  placeOf,
  step,
  store,
} from '../use-cases/change-requests/steps.ts'
import type { EvaluatedChange } from '../use-cases/change-requests/steps.ts'
import { stepOrConflict } from '../use-cases/change-requests/write.ts'
import { frozenAt } from '../use-cases/gate/admit.ts'
import { problemsOf } from '../use-cases/plans/plan-view.ts'

/** How many requests of each kind one look advances. */
const LOOK_MAX = 50
/**
 * For how long one look judges requests, and tries held ones again: neither must keep what is scheduled waiting. And for how long it applies
 * scheduled ones of one person.
 */
const AGAIN_MS_MAX = 250
/** How many times as long as that took, and how long at most, it is not done again: a batch in busy scopes is always due. */
const REST_TIMES = 20
const REST_MS_MAX = 60_000
/** Of how many requests of one person the runner remembers that they are held up. */
const HELD_MAX = 1_000

/**
 * What happens to change requests without a person: a request whose scope has moved is merged with it, a scheduled one is
 * applied, what is too late expires, what has been carried out ends, and what nobody has looked at is reported again.
 * Any number of replicas may do this on one database: each step locks its request and looks at it again. What only judges a request does
 * so before it locks it, because that may take long, and people must be able to approve it meanwhile.
 */
export function startChangeRequests(
  deps: RuntimeDeps,
  options: { everyMs: number; isPaused: () => Promise<boolean>; onStarted: () => void },
): PeriodicTask {
  const turns: Turns = {}
  /** Until when requests are not judged again, by the monotonic clock. */
  const rests = new Map<string, number>()
  /**
   * The requests whose turn has come that could not be applied then, by who made them. At the end is the person whose request was tried
   * last, and of each person's the one that was tried last: one with many of them must not keep others waiting.
   */
  const held = new Map<string, Set<string>>()
  /** Until when none is looked for that should be judged, and until when none of those held is tried. */
  let judgesAgainAt = 0
  let triesAgainAt = 0
  const restFrom = (begun: number): number => {
    const now = deps.clock.monotonic()
    return now + Math.min(REST_TIMES * (now - begun), REST_MS_MAX)
  }
  const putHeld = (id: string, madeBy: string, isHeld: boolean): void => {
    const ids = held.get(madeBy) ?? new Set()
    ids.delete(id)
    if (isHeld) held.set(madeBy, ids.add(id))
    if (ids.size > HELD_MAX) ids.delete(firstOf(ids) ?? '')
    if (ids.size === 0) held.delete(madeBy)
  }
  const advanceNext = async (id: string, madeBy: string, due: Due): Promise<void> => {
    // the others must not wait for this one
    const advanced = await advanceChangeRequest(deps, id, due).catch((error: unknown) => {
      deps.log.warn('a change request could not be advanced', { changeRequestId: id }, error)
      return due === 'turn' && (!isUnavailable(error) || isBusy(error)) ? 'held' : null
    })
    if (advanced === 'started') options.onStarted()
    putHeld(id, madeBy, advanced === 'held')
  }
  return runEvery(
    deps,
    { everyMs: options.everyMs, failureMessage: 'change requests could not be advanced', first: 'later' },
    async (stopped) => {
      if (await options.isPaused()) return
      const begun = deps.clock.monotonic()
      for (const [id, until] of rests) if (until <= begun) rests.delete(id)
      const kinds = DUE.filter((due) => due !== 'judgement' || judgesAgainAt <= begun)
      const heldIds = [...held.values()].flatMap((ids) => [...ids])
      const found = await findDue(deps.db, kinds, { turns, held: heldIds, limit: LOOK_MAX })
      if (kinds.includes('judgement')) judgesAgainAt = restFrom(begun)
      for (const due of kinds) {
        const ones = found.filter((one) => one.due === due)
        const last = ones.length === LOOK_MAX ? ones.at(-1) : undefined
        if (due !== 'turn') {
          // those at the beginning have their turn again
          if (last === undefined) delete turns[due]
          else turns[due] = last.change_request_id
        }
        // what has not been tried yet comes in time, but a person with many large ones keeps nobody else waiting
        const spent = new Map<string, number>()
        for (const { change_request_id: id, created_by_id: madeBy } of due === 'judgement' ? [] : ones) {
          if (stopped.aborted) return
          const ofPerson = spent.get(madeBy) ?? 0
          if (due === 'turn' && ofPerson >= AGAIN_MS_MAX) continue
          const triedFrom = deps.clock.monotonic()
          await advanceNext(id, madeBy, due)
          spent.set(madeBy, ofPerson + deps.clock.monotonic() - triedFrom)
        }
        const from = deps.clock.monotonic()
        const isOver = () => stopped.aborted || deps.clock.monotonic() - from >= AGAIN_MS_MAX
        if (due === 'turn' && triesAgainAt <= begun) {
          // as often as there are any, also those that are not due any more
          for (let left = sizeOf(held); left > 0 && !stopped.aborted; left -= 1) {
            const [madeBy, ids] = firstOf(held) ?? ['', new Set<string>()]
            await advanceNext(firstOf(ids) ?? '', madeBy, due)
            if (held.delete(madeBy) && ids.size > 0) held.set(madeBy, ids)
            if (isOver()) break
          }
          triesAgainAt = restFrom(from)
        }
        if (due === 'judgement')
          for (const { change_request_id: id, created_by_id } of ones) {
            if (rests.has(id)) continue
            turns[due] = id
            const judgedFrom = deps.clock.monotonic()
            await advanceNext(id, created_by_id, due)
            rests.set(id, restFrom(judgedFrom))
            if (isOver()) break
          }
      }
    },
  )
}

const firstOf = <T>(all: Iterable<T>): T | undefined => {
  for (const one of all) return one
  return undefined
}
const sizeOf = (held: ReadonlyMap<string, ReadonlySet<string>>): number => {
  let size = 0
  for (const ids of held.values()) size += ids.size
  return size
}

/** What a step did: `held` means that the turn of the request has come, and it could not be applied then. */
type Advanced = 'started' | 'held' | null

/** Advances a request by one step, if anything is due. What is only looked at for something else is not applied out of its turn. */
export async function advanceChangeRequest(
  deps: RuntimeDeps,
  changeRequestId: string,
  lookedAtFor: Due = 'turn',
): Promise<Advanced> {
  const judgement = await inTransaction(deps.db, (tx) => judge(deps, tx, changeRequestId))
  return judgement === null
    ? inTransaction(deps.db, (tx) => advance(deps, tx, changeRequestId, lookedAtFor))
    : inTransaction(deps.db, (tx) => storeJudgement(deps, tx, judgement))
}

interface Judgement {
  due: Record<Due, boolean>
  change: EvaluatedChange
}

/** What a request would do now, if it only has to be judged again. */
async function judge(deps: RuntimeDeps, tx: Tx, changeRequestId: string): Promise<Judgement | null> {
  const row = await findChangeRequest(tx, changeRequestId)
  if (row === undefined) return null
  const due = await readDue(tx, row)
  if (due.end || due.turn || due.result || !(due.judgement || due.reminder)) return null
  return { due, change: await evaluateRow(tx, deps, row, await readScopes(tx, changeRequestId)) }
}

async function storeJudgement(deps: RuntimeDeps, tx: Tx, { due, change }: Judgement): Promise<null> {
  const before = change.row
  const row = await lockFreeChangeRequest(tx, before.change_request_id)
  // somebody has taken a step since, or judged it: the next look judges that
  const isSame = (['state', 'updated_at', 'base_snapshot', 'effect'] as const).every(
    (column) => row?.[column] === before[column],
  )
  if (row === undefined || !isSame) return null
  // a policy may have changed meanwhile
  const facts = await factsOfRequest(tx, row, change.evaluated, change.scopes)
  await rebase(deps, tx, { ...change, row, facts }, due)
  return null
}

async function advance(
  deps: RuntimeDeps,
  tx: Tx,
  changeRequestId: string,
  lookedAtFor: Due,
): Promise<Advanced> {
  const row = await lockFreeChangeRequest(tx, changeRequestId)
  if (row === undefined) return null
  const due = await readDue(tx, row)
  if (!DUE.some((one) => due[one])) return null
  if (row.state === 'APPLYING') {
    await finish(tx, row)
    return null
  }
  if (due.end) {
    await expire(tx, row)
    return null
  }
  if (due.turn && lookedAtFor !== 'turn') return null
  const locked = await evaluateRow(tx, deps, row, await readScopes(tx, changeRequestId))
  const { facts, evaluated } = locked
  if (due.turn && evaluated.conflicts.length === 0 && isApproved(facts)) {
    const result = await applyScheduled(deps, tx, locked)
    // what it would do may have changed too
    if (result === 'held' && due.judgement) await rebase(deps, tx, locked, due)
    return result
  }
  await rebase(deps, tx, locked, due)
  return null
}

/** Stores what a locked request would do now. */
async function rebase(
  deps: RuntimeDeps,
  tx: Tx,
  locked: EvaluatedChange,
  due: Record<Due, boolean>,
): Promise<void> {
  const { row, evaluated } = locked
  const actor = systemActor(row.change_request_id)
  const state = stepOrConflict(locked, 'rebase')
  const isOtherEffect = row.effect !== evaluated.plan.effect
  await store(tx, deps, locked, {
    state,
    // a scope that moved without a consequence is shown as the snapshot that it is based on; a stricter policy has an entry of its own
    ...(isOtherEffect || (state !== row.state && (state === 'CONFLICTED' || !asksForMore(row, locked.facts)))
      ? { entry: { actor, event: state === 'CONFLICTED' ? 'CONFLICTED' : 'REBASED' } }
      : due.reminder && { entry: { actor, event: 'REMINDED' } }),
  })
}

/** No approval counts for what ends. */
const NO_FACTS = { approvals: 0, needed: 0, hasSchedule: false }

/** Ends a request whose time is over. */
async function expire(tx: Tx, row: ChangeRequestRow): Promise<void> {
  const { change_request_id: changeRequestId, revision } = row
  const until = row.not_after ?? ''
  const { scope } = placeOf(row)
  // a batch is not held up: a freeze refuses its items
  const text =
    row.state !== 'SCHEDULED' || row.kind === 'BATCH' || scope === null
      ? null
      : await frozenAt(tx, row.kind, scope, Date.parse(until) - 1)
  const { message, parameters } =
    text === null
      ? platformMessage('changeTooLate', { until })
      : platformMessage('changeTooLateFrozen', { until, text })
  await updateChangeRequest(tx, changeRequestId, {
    state: step(row, 'expire', { ...NO_FACTS, hasSchedule: true }),
    code: 'CHANGE_REQUEST_STATE',
    message,
    parameters: JSON.stringify(parameters),
    // its secrets are of no use any more
    content: null,
    judge_again: false,
    hasEnded: true,
  })
  await insertEntry(tx, { changeRequestId, actor: systemActor(changeRequestId), event: 'EXPIRED', revision })
}

/**
 * Ends a request whose operations and batch have ended, and says whether some of it was not done: a list that shows it as applied would hide
 * a batch that was stopped. What it asked for was discarded when it was applied.
 */
async function finish(tx: Tx, row: ChangeRequestRow): Promise<void> {
  const { change_request_id: changeRequestId, revision } = row
  const state = step(row, 'finish', NO_FACTS)
  const success = await readSuccess(tx, row)
  const isWhole = success === 'all'
  const { message, parameters } = platformMessage(success === 'none' ? 'changeNotDone' : 'changePartlyDone')
  const failure = { code: 'CHANGE_REQUEST_STATE', message, parameters: JSON.stringify(parameters) }
  await updateChangeRequest(tx, changeRequestId, { state, ...(!isWhole && failure), hasEnded: true })
  const actor = systemActor(changeRequestId)
  await insertEntry(tx, { changeRequestId, actor, event: 'APPLIED', revision })
  if (!isWhole) await notifyAuthors(tx, changeRequestId)
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

/** Where it would replace something else than when somebody wrote or scheduled it. */
const movedTargets = ({ given, content: { seen = {} } }: EvaluatedChange['evaluated']): string[] =>
  Object.keys(given).filter((target) => given[target] !== '' && seen[target] !== given[target])

async function applyScheduled(deps: RuntimeDeps, tx: Tx, locked: EvaluatedChange): Promise<Advanced> {
  const { row, facts, evaluated, scopes } = locked
  const actor = { ...row.actor, requestId: row.change_request_id }
  // who approved its effect knows what it replaces; without, nobody has seen what others saved since it was scheduled
  const moved = facts.approvals > 0 ? [] : movedTargets(evaluated)
  const isOther = row.kind !== 'BATCH' && moved.length > 0
  await sql`savepoint applied`.execute(tx)
  try {
    if (isOther) throw new DomainError('PLAN_STALE', platformMessage('changeScheduledMoved'))
    const applying = await store(tx, deps, locked, {
      state: step(row, 'apply', facts),
      entry: { actor, event: 'APPLYING' },
    })
    await recordAudit(tx, actor, { action: 'change.apply', ...auditOf(row, scopes), reason: row.reason })
    await carryOut(
      { tx, deps, actor, comparing: 'never', moved: new Set(moved) },
      { row: applying, evaluated },
    )
    return 'started'
  } catch (error) {
    // repeats the transaction
    if (isConflict(error)) throw error
    if (!(error instanceof DomainError)) throw error
    await sql`rollback to savepoint applied`.execute(tx)
    if (PASSING.has(error.code) && !isOther) return 'held'
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
    return null
  }
}
