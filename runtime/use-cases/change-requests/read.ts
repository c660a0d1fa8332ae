import { mayIn, SERVICE_ACCOUNT_ISSUER } from '#contract/endpoint/permission.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { ChangeEntry, ChangeRequestDetail, ShownInput } from '#contract/runtime-api/change-requests.ts'
import type { PropertyChange, PropertyView } from '#contract/runtime-api/common.ts'
import type { PlanProblem } from '#contract/runtime-api/plans.ts'
import { isApproved, LIVE_STATES, transition } from '../../engine/change-requests/transition.ts'
import type { ChangeFacts } from '../../engine/change-requests/transition.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import type { PropertyRef } from '../../engine/changes/compare.ts'
import type { ShownEffect } from '../../model/change-request-tables.ts'
import type { Db } from '../../model/db.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { readApprovals, readEntries, readMarks } from '../../store/change-requests/change-requests.ts'
import type { ChangeRequestRow, EntryRow } from '../../store/change-requests/change-requests.ts'
import { countWaiting, selectChangeRequests } from '../../store/change-requests/list-change-requests.ts'
import { hide } from '../batches/show-batch.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging.ts'
import { planAt } from '../plans/plan-view.ts'
import { differenceOf } from './effect.ts'
import { openContent, permissionFor } from './content.ts'
import { evaluateChange } from './evaluate.ts'
import type { Evaluated } from './evaluate.ts'
import {
  changeRequestView,
  countingApprovals,
  factsOfRequest,
  placeOf,
  planningCost,
  requireChangeRequest,
  visibleScopesOf,
} from './steps.ts'

type Path = '/change-requests/{changeRequestId}'

/** More are not counted. */
const WAITING_MAX = 100

/** The requests all of whose scopes the actor may see, newest first. */
export async function listChangeRequests(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /change-requests'>,
): Promise<Answer<'GET /change-requests'>> {
  const values = cursorValues(query.cursor, ['number', 'string'])
  const { state, kind, bundleInstallId, author, waiting, environmentKey, applicationRuntimeId, workspaceId } =
    query
  const rows = await selectChangeRequests(
    deps.db,
    actor,
    {
      state,
      kind,
      bundleInstallId,
      author,
      environmentKey,
      applicationRuntimeId,
      workspaceId,
      isWaiting: waiting === 'me',
    },
    {
      limit: query.limit + 1,
      after:
        values === null
          ? undefined
          : { createdMicroseconds: cursorInteger(values[0]), changeRequestId: cursorUuid(values[1]) },
    },
  )
  return pageOf(rows, query.limit, {
    item: (row) => changeRequestView(row, row.approvals),
    valuesOf: (row) => [row.created_microseconds, row.change_request_id],
  })
}

/** How many requests wait for an approval by the actor. */
export async function countWaitingChangeRequests({
  deps,
  actor,
}: ReadContext): Promise<Answer<'GET /change-requests/waiting'>> {
  return { count: await countWaiting(deps.db, actor, WAITING_MAX) }
}

/** One request, as of now: its approvals are compared with what it would do now. */
export function readChangeRequest(
  context: ReadContext,
  { params }: Input<`GET ${Path}`>,
): Promise<ChangeRequestDetail> {
  return evaluatedAt(context, params.changeRequestId, async (db, { row, scopes, evaluated }) => {
    const { actor } = context
    const isMarked = isAmong(await readMarks(db, row))
    const approvals = await readApprovals(db, row.change_request_id)
    const history = await readEntries(db, row.change_request_id)
    const isLive = evaluated !== null
    const effect = isLive ? evaluated.plan.effect : row.effect
    const facts = isLive
      ? await factsOfRequest(db, row, evaluated, scopes)
      : { approvals: 0, needed: row.approvals_needed, hasSchedule: row.not_after !== null }
    const counts = countingApprovals(approvals, row, effect).length
    const may = (permission: Permission) => scopes.every((scope) => mayIn(actor.grants, permission, scope))
    const content = evaluated?.content
    const isReady =
      ['OPEN', 'APPROVED', 'SCHEDULED'].includes(row.state) && (evaluated?.conflicts.length ?? 0) === 0
    const isFrozen =
      evaluated !== null && problemsIn(evaluated).some(({ errorCode }) => errorCode === 'CHANGES_FROZEN')
    const isReviewer = may('change:approve') && !row.author_ids.includes(actor.id)
    const mayCarryOut = content !== undefined && may(permissionFor(content.change))
    return {
      ...changeRequestView(
        { ...row, approvals_needed: facts.needed, state: stateNow(row, evaluated, facts) },
        counts,
      ),
      authors: row.author_ids.map((id) => ({
        id,
        name: history.findLast(({ by_id }) => by_id === id)?.by_name ?? id,
      })),
      input: maskedInput(isLive && hasPlan(evaluated) ? evaluated.shownInput : row.shown_input, isMarked),
      approvedBy: approvals.map((approval) => ({
        by: { id: approval.approver_id, name: approval.approver_name },
        at: approval.at,
        revision: approval.revision,
        effect: approval.effect,
        ...(approval.comment !== null && { comment: approval.comment }),
        ...(approval.effect !== effect && {
          outdated: true as const,
          // of what cannot be planned, everything would differ
          ...(isLive &&
            !isGone(evaluated) && {
              difference: differenceOf(
                maskedEffect(approval.shown, isMarked),
                maskedEffect(evaluated.shown, isMarked),
              ),
            }),
        }),
      })),
      history: history.map(entryView),
      conflicts: (evaluated?.shownConflicts ?? []).map(({ locator, property, ...sides }) => {
        const mask = (view: PropertyView | null) => maskedBy(isMarked, { locator, property }, view)
        return {
          locator,
          property,
          base: mask(sides.base),
          theirs: mask(sides.theirs),
          mine: mask(sides.mine),
        }
      }),
      may: {
        edit: isLive && may('change:propose'),
        approve:
          isReady &&
          isReviewer &&
          actor.issuer !== SERVICE_ACCOUNT_ISSUER &&
          !approvals.some((approval) => approval.approver_id === actor.id && approval.effect === effect),
        reject: isReviewer && isLive && row.state !== 'DRAFT',
        apply: isReady && mayCarryOut && isApproved(facts),
        override: isReady && mayCarryOut && (!isApproved(facts) || isFrozen) && may('change:override'),
      },
    }
  })
}

/** Its state as of now: what else it depends on may have moved since its last step. A conflict stays one until it is resolved. */
function stateNow(
  row: ChangeRequestRow,
  evaluated: Evaluated | null,
  facts: ChangeFacts,
): ChangeRequestRow['state'] {
  if (evaluated === null || row.state === 'DRAFT' || row.state === 'CONFLICTED') return row.state
  return transition(row.state, evaluated.conflicts.length > 0 ? 'conflict' : 'rebase', facts) ?? row.state
}

/** Nothing of what it asks for can be planned: its target is gone, for example. */
const isGone = ({ plan: { effect, configuration, problems } }: Evaluated): boolean =>
  effect === null ||
  (configuration?.installations.length === 0 &&
    problems.some(({ errorCode }) => errorCode === 'RESOURCE_OWNERSHIP_MISSING'))

const problemsIn = ({ plan }: Evaluated): readonly PlanProblem[] =>
  plan.batch === undefined ? plan.problems : plan.batch.items.flatMap(({ problems }) => problems)

const hasPlan = ({ plan }: Evaluated): boolean =>
  plan.configuration !== undefined || plan.operation !== undefined || plan.batch !== undefined

/** What applying a request would do now. Of one that has ended or is being applied, there is nothing to plan. */
export function planChangeRequest(
  context: ReadContext,
  { params }: Input<`GET ${Path}/plan`>,
): Promise<Answer<`GET ${Path}/plan`>> {
  return evaluatedAt(context, params.changeRequestId, async (_, { evaluated }) =>
    evaluated === null ? { effect: null, planToken: null, problems: [] } : evaluated.plan,
  )
}

interface Seen {
  row: ChangeRequestRow
  scopes: Scope[]
  /** Null if it cannot be applied any more. */
  evaluated: Evaluated | null
}

function evaluatedAt<Result>(
  context: ReadContext,
  changeRequestId: string,
  show: (db: Db, seen: Seen) => Promise<Result>,
): Promise<Result> {
  const { deps, actor } = context
  return planAt(context, async (db) => {
    const scopes = await visibleScopesOf(db, actor, changeRequestId)
    const row = await requireChangeRequest(db, changeRequestId)
    if (!LIVE_STATES.some((state) => state === row.state)) return show(db, { row, scopes, evaluated: null })
    context.spendMore?.(planningCost(row))
    const content = await openContent({ db, vault: deps.vault }, row)
    const reading = { db, keys: deps, author: row.actor, reader: actor, hasRead: context.hasRead }
    const evaluated = await evaluateChange(reading, content, { ...placeOf(row), scopes })
    return show(db, { row, scopes, evaluated })
  })
}

type IsMarked = ReturnType<typeof isAmong>

const maskedBy = (isMarked: IsMarked, ref: PropertyRef, view: PropertyView | null): PropertyView | null =>
  isMarked(ref) ? hide(view) : view

function maskedInput(input: ShownInput, isMarked: IsMarked): ShownInput {
  const mask = (changes: ShownInput['changes']) =>
    changes &&
    Object.fromEntries(
      Object.entries(changes).map(([locator, properties]) => [
        locator,
        Object.fromEntries(
          Object.entries(properties).map(([property, view]) => [
            property,
            maskedBy(isMarked, { locator, property }, view),
          ]),
        ),
      ]),
    )
  return {
    ...input,
    ...(input.changes && { changes: mask(input.changes) }),
    ...(input.properties && { properties: mask(input.properties) }),
    ...(input.batch && {
      batch: {
        ...input.batch,
        properties: input.batch.properties.map((one) => ({
          ...one,
          after: maskedBy(isMarked, one, one.after),
        })),
      },
    }),
  }
}

function maskedEffect(shown: ShownEffect, isMarked: IsMarked): ShownEffect {
  const mask = (change: PropertyChange): PropertyChange => ({
    ...change,
    before: maskedBy(isMarked, change, change.before),
    after: maskedBy(isMarked, change, change.after),
  })
  return { ...shown, changes: shown.changes.map(mask) }
}

export const entryView = (row: EntryRow): ChangeEntry => ({
  number: row.number,
  at: row.at,
  by: { id: row.by_id, name: row.by_name },
  event: row.event,
  revision: row.revision,
  text: row.text,
  target: row.target,
  ...(row.policy !== null && { policy: row.policy }),
})
