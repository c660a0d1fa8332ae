import { mayIn, SERVICE_ACCOUNT_ISSUER } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { LIVE_REQUESTS_MAX, SCHEDULE_DAYS_MAX } from '#contract/runtime-api/change-requests.ts'
import type { AuditAction, ChangeEvent } from '#contract/runtime-api/vocabulary.ts'
import { LIVE_STATES } from '../../engine/change-requests/transition.ts'
import type { ChangeStep } from '../../engine/change-requests/transition.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import {
  insertChangeRequest,
  insertEntry,
  lockChangeRequest,
  lockMadeBy,
  putApproval,
  readApprovals,
} from '../../store/change-requests/change-requests.ts'
import type { ChangeRequestRow } from '../../store/change-requests/change-requests.ts'
import { readMoment } from '../../store/change-requests/list-change-requests.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { recordAudit } from '../audit/record.ts'
import { notFound, requireRecentSignIn, requireVisible } from '../authorize.ts'
import type { Actor } from '../../model/actor.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { changesIn, contentFor, newKey } from './input.ts'
import type { Given } from './input.ts'
import { permissionFor, sealContent } from './content.ts'
import { evaluateChange } from './evaluate.ts'
import type { Evaluated } from './evaluate.ts'
import {
  addEntry,
  auditOf,
  authorizeAll,
  authorOf,
  changeRequestView,
  factsOfRequest,
  lockFor,
  lockVisible,
  scopeColumns,
  step,
  store,
} from './steps.ts'
import type { EvaluatedChange } from './steps.ts'
import { entryView } from './read.ts'
import { givesSecret } from './secrets.ts'

type Path = '/change-requests/{changeRequestId}'
type Changed = Answer<'POST /change-requests'>

/**
 * Makes a request: a draft, or submitted at once. Refuses a target that the actor may not see, a moved snapshot, and more than
 * the maximum number of requests that have not ended.
 */
export async function createChangeRequest(
  context: WriteContext,
  { body }: Input<'POST /change-requests'>,
): Promise<Changed> {
  const { tx, deps, actor, hasRead } = context
  const id = uuidv7(deps)
  const content = await contentFor(context, body, { key: newKey(deps), before: null })
  const author = authorOf(actor, id, content)
  const evaluated = await evaluateChange({ db: tx, keys: deps, author, reader: actor, hasRead }, content)
  authorizeTarget(actor, evaluated)
  refuseFor(evaluated.wrong)
  // each is merged with what others save
  if ((await lockMadeBy(tx, actor.id, LIVE_STATES)) >= LIVE_REQUESTS_MAX)
    throw new DomainError(
      'REQUEST_INVALID',
      platformMessage('changeRequestsFull', { max: LIVE_REQUESTS_MAX }),
    )
  const row = {
    change_request_id: id,
    kind: body.kind,
    title: body.title,
    reason: body.reason ?? null,
    state: 'DRAFT' as const,
    content: sealContent(deps.vault, id, evaluated.content),
    shown_input: JSON.stringify(evaluated.shownInput),
    ...(evaluated.scope !== null && scopeColumns(evaluated.scope)),
    bundle_install_id: evaluated.bundleInstallId,
    base_snapshot: evaluated.snapshotVersion,
    effect: evaluated.plan.effect,
    created_by_id: actor.id,
    created_by_name: actor.name,
    author_ids: [actor.id],
    actor: JSON.stringify(author),
  }
  await insertChangeRequest(tx, row, evaluated.scopes)
  await insertEntry(tx, { changeRequestId: id, actor, event: 'CREATED', revision: 1 })
  await recordAudit(tx, actor, {
    action: 'change.create',
    ...auditOf(row, evaluated.scopes),
    reason: row.reason,
  })
  let made = await lockChangeRequest(tx, id)
  if (made === undefined) throw new Error('A new change request is missing')
  const facts = await factsOfRequest(tx, made, evaluated, evaluated.scopes)
  if (body.submit) {
    const locked = { row: made, evaluated, facts }
    made = await store(tx, deps, locked, {
      state: step(made, 'submit', facts),
      entry: { actor, event: 'SUBMITTED' },
    })
  }
  return { changeRequest: changeRequestView(made, facts.approvals) }
}

/** A target that the actor may not see is refused like one that does not exist. */
function authorizeTarget(actor: Actor, { scopes }: Evaluated): void {
  if (scopes.length === 0) throw notFound('target')
  for (const scope of scopes) requireVisible(actor, scope, 'target')
  authorizeAll(actor, 'change:propose', scopes)
}

/**
 * Edits a request. Anyone who edits what it asks for becomes one of its authors, whose approvals do not count; title and reason are no
 * part of the effect.
 */
export async function editChangeRequest(
  context: WriteContext,
  { params, body }: Input<`PATCH ${Path}`>,
): Promise<Changed> {
  const { tx, deps, actor, hasRead } = context
  const { title, reason, input } = body
  const locked = await lockFor(context, params.changeRequestId, 'change:propose', body.revision)
  const { row, content } = locked
  let next = locked
  let written = content
  if (input !== undefined) {
    const { change } = content
    if (body.kind !== change.kind)
      throw new DomainError('REQUEST_INVALID', platformMessage('changeInputOther'))
    const given = { kind: change.kind, input, ...('scope' in change && { scope: change.scope }) } as Given
    const key = change.kind === 'BATCH' ? newKey(deps) : content.key
    written = await contentFor(context, given, { key, before: change })
  }
  const authors = input === undefined ? row.author_ids : [...new Set([...row.author_ids, actor.id])]
  const author = actor.id === row.created_by_id ? authorOf(actor, row.change_request_id, written) : row.actor
  // what somebody else wrote is not applied with the permissions of the author, unless somebody who has them schedules it; and a
  // recent sign-in was for the takeover that it was then
  const needed = permissionFor(written.change)
  const isOther = input !== undefined && (actor.id !== row.created_by_id || needed === 'operation:takeover')
  if (input !== undefined) {
    const reading = { db: tx, keys: deps, author, reader: actor, hasRead }
    let evaluated = await evaluateChange(reading, written)
    authorizeTarget(actor, evaluated)
    refuseFor(evaluated.wrong)
    const [flagged = {}] = changesIn(evaluated.content.change)
    // under the same key, the digest would tell whether the secret equals the one that it replaces
    if (givesSecret(givenIn(input), flagged))
      evaluated = await evaluateChange(reading, { ...written, key: newKey(deps) })
    const facts = await factsOfRequest(tx, { ...row, author_ids: authors }, evaluated, evaluated.scopes)
    next = { ...locked, evaluated, facts }
  }
  // with permissions that the author has lost, it would only be refused, and its content discarded
  const endsSchedule = isOther || !next.evaluated.scopes.every((scope) => mayIn(author.grants, needed, scope))
  if (endsSchedule) next = withoutSchedule(next)
  const state = stepOrConflict(next, 'edit')
  const stored = await store(tx, deps, next, {
    state,
    values: {
      revision: row.revision + 1,
      author_ids: authors,
      actor: JSON.stringify(author),
      ...(endsSchedule && { not_before: null, not_after: null, time_zone: null }),
      ...(title !== undefined && { title }),
      ...(reason !== undefined && { reason }),
    },
    entry: { actor, event: state === 'CONFLICTED' && row.state !== 'CONFLICTED' ? 'CONFLICTED' : 'EDITED' },
  })
  await recordAudit(tx, actor, {
    action: 'change.edit',
    // an INSTALL may have been edited to be one into another scope
    ...auditOf(stored, [...locked.scopes, ...next.evaluated.scopes]),
    reason: stored.reason,
  })
  return { changeRequest: changeRequestView(stored, next.facts.approvals) }
}

/** The values of an input as they are given. */
const givenIn = (
  input: NonNullable<Input<`PATCH ${Path}`>['body']['input']>,
): Parameters<typeof givesSecret>[0] =>
  'changes' in input ? input.changes : 'properties' in input ? (input.properties ?? {}) : {}

/** The state after a step that judges the effect again: a request that overlaps with what others saved is CONFLICTED. */
export function stepOrConflict({ row, evaluated, facts }: EvaluatedChange, taken: ChangeStep) {
  const after = step(row, taken, facts)
  return evaluated.conflicts.length > 0 && after !== 'DRAFT' ? step(row, 'conflict', facts) : after
}

interface Simple {
  action: AuditAction
  event: ChangeEvent
  taken: ChangeStep
  permission: 'change:propose' | 'change:approve'
}

/** A step that changes the state alone. */
const simple =
  ({ action, event, taken, permission }: Simple) =>
  async (
    context: WriteContext,
    {
      params,
      body,
    }: { params: { changeRequestId: string }; body: { revision: number; comment?: string | undefined } },
  ): Promise<Changed> => {
    const { tx, deps, actor } = context
    const locked = await lockFor(context, params.changeRequestId, permission, body.revision)
    const { row, facts } = locked
    if (permission === 'change:approve') requireOther(row, actor.id)
    const ends = taken === 'reject' || taken === 'withdraw'
    const state = ends
      ? step(row, taken, facts)
      : stepOrConflict(taken === 'unschedule' ? withoutSchedule(locked) : locked, taken)
    const stored = await store(tx, deps, locked, {
      state,
      ...(taken === 'unschedule' && { values: { not_before: null, not_after: null, time_zone: null } }),
      entry: {
        actor,
        event: state === 'CONFLICTED' && row.state !== 'CONFLICTED' ? 'CONFLICTED' : event,
        text: body.comment ?? null,
      },
    })
    await recordAudit(tx, actor, { action, ...auditOf(row, locked.scopes), reason: body.comment ?? null })
    return { changeRequest: changeRequestView(stored, facts.approvals) }
  }

const withoutSchedule = (locked: EvaluatedChange): EvaluatedChange => ({
  ...locked,
  facts: { ...locked.facts, hasSchedule: false },
})

export const submitChangeRequest = simple({
  action: 'change.submit',
  event: 'SUBMITTED',
  taken: 'submit',
  permission: 'change:propose',
})
export const rejectChangeRequest = simple({
  action: 'change.reject',
  event: 'REJECTED',
  taken: 'reject',
  permission: 'change:approve',
})
export const withdrawChangeRequest = simple({
  action: 'change.withdraw',
  event: 'WITHDRAWN',
  taken: 'withdraw',
  permission: 'change:propose',
})
export const rebaseChangeRequest = simple({
  action: 'change.rebase',
  event: 'REBASED',
  taken: 'rebase',
  permission: 'change:propose',
})
export const unscheduleChangeRequest = simple({
  action: 'change.unschedule',
  event: 'UNSCHEDULED',
  taken: 'unschedule',
  permission: 'change:propose',
})

function requireOther({ author_ids }: ChangeRequestRow, actorId: string): void {
  if (author_ids.includes(actorId))
    throw new DomainError('PERMISSION_DENIED', platformMessage('approvalIsOwn'))
}

/** A program does not look at a change; and anyone who has its token could approve a change of their own with it. */
function requirePerson({ issuer }: Actor): void {
  if (issuer === SERVICE_ACCOUNT_ISSUER)
    throw new DomainError('PERMISSION_DENIED', platformMessage('approvalByProgram'))
}

/** Approves the effect that the actor saw; the same approval again changes nothing. Refuses service accounts, those who wrote the request, and another effect with PLAN_STALE. */
export async function approveChangeRequest(
  context: WriteContext,
  { params, body }: Input<`POST ${Path}/approve`>,
): Promise<Changed> {
  const { tx, deps, actor } = context
  const locked = await lockFor(context, params.changeRequestId, 'change:approve', body.revision)
  const { row, evaluated, scopes } = locked
  requirePerson(actor)
  requireOther(row, actor.id)
  const stateAgain = step(row, 'approve', locked.facts)
  if (evaluated.conflicts.length > 0)
    throw new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeConflicted'))
  if (evaluated.plan.effect === null || evaluated.plan.effect !== body.effect)
    throw new DomainError('PLAN_STALE', platformMessage('changeEffectMoved'))
  const before = (await readApprovals(tx, row.change_request_id)).find(
    ({ approver_id }) => approver_id === actor.id,
  )
  const isSame =
    before?.effect === body.effect &&
    before.revision === row.revision &&
    (body.comment ?? before.comment) === before.comment
  // each would be one more entry and notification
  if (isSame && stateAgain === row.state)
    return { changeRequest: changeRequestView(row, locked.facts.approvals) }
  await putApproval(tx, {
    changeRequestId: row.change_request_id,
    actor,
    revision: row.revision,
    effect: body.effect,
    shown: evaluated.shown,
    comment: body.comment ?? null,
  })
  const facts = await factsOfRequest(tx, row, evaluated, scopes)
  const stored = await store(
    tx,
    deps,
    { ...locked, facts },
    { state: step(row, 'approve', facts), entry: { actor, event: 'APPROVED', text: body.comment ?? null } },
  )
  await recordAudit(tx, actor, {
    action: 'change.approve',
    ...auditOf(row, scopes),
    reason: body.comment ?? null,
  })
  return { changeRequest: changeRequestView(stored, facts.approvals) }
}

/** Has a request applied between two moments, once it has its approvals, with the grants of its author. */
export async function scheduleChangeRequest(
  context: WriteContext,
  { params, body }: Input<`POST ${Path}/schedule`>,
): Promise<Changed> {
  const { tx, deps, actor } = context
  const { notBefore, notAfter, timeZone } = body
  const locked = await lockFor(context, params.changeRequestId, 'change:propose', body.revision)
  const { row, content, scopes } = locked
  const now = await readMoment(tx)
  if (Date.parse(notAfter) <= Math.max(now, Date.parse(notBefore))) throw wrongTime('scheduleOrder')
  if (Date.parse(notAfter) > now + SCHEDULE_DAYS_MAX * 86_400_000) throw wrongTime('scheduleTooFar')
  const needed = permissionFor(content.change)
  authorizeAll(actor, needed, scopes)
  const isTakeover = needed === 'operation:takeover'
  if (isTakeover) requireRecentSignIn(actor)
  const author = actor.id === row.created_by_id ? authorOf(actor, row.change_request_id, content) : row.actor
  try {
    authorizeAll(author, needed, scopes)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError('PERMISSION_DENIED', platformMessage('changeGrantsMissing', { permission: needed }))
  }
  const facts = { ...locked.facts, hasSchedule: true }
  const { evaluated } = locked
  const seen = { ...evaluated, content: { ...evaluated.content, seen: evaluated.given } }
  const stored = await store(
    tx,
    deps,
    { ...locked, evaluated: seen, facts },
    {
      state: stepOrConflict({ ...locked, facts }, 'schedule'),
      values: {
        not_before: notBefore,
        not_after: notAfter,
        time_zone: timeZone,
        actor: JSON.stringify(author),
      },
      entry: { actor, event: 'SCHEDULED' },
    },
  )
  await recordAudit(tx, actor, { action: 'change.schedule', ...auditOf(row, scopes) })
  return { changeRequest: changeRequestView(stored, facts.approvals) }
}

const wrongTime = (reason: 'scheduleOrder' | 'scheduleTooFar'): DomainError => {
  const message =
    reason === 'scheduleOrder' ? platformMessage(reason) : platformMessage(reason, { max: SCHEDULE_DAYS_MAX })
  return new DomainError('REQUEST_INVALID', message, {
    details: [{ path: 'body.notAfter', errorCode: 'REQUEST_INVALID', ...message }],
  })
}

/** Adds a comment, also to a request that has ended. */
export async function commentChangeRequest(
  { tx, actor }: WriteContext,
  { params, body }: Input<`POST ${Path}/comments`>,
): Promise<Answer<`POST ${Path}/comments`>> {
  const { row, scopes } = await lockVisible(tx, actor, params.changeRequestId)
  authorizeAll(actor, 'change:propose', scopes)
  const entry = await addEntry(tx, {
    changeRequestId: row.change_request_id,
    actor,
    event: 'COMMENTED',
    revision: row.revision,
    text: body.text,
    target: body.target,
  })
  await recordAudit(tx, actor, { action: 'change.comment', ...auditOf(row, scopes), reason: body.text })
  return { entry: entryView(entry) }
}
