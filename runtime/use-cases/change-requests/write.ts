import { getOwn } from '#contract/json-schema/json.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { SCHEDULE_DAYS_MAX } from '#contract/runtime-api/change-requests.ts'
import type { NewChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { AuditAction, ChangeEvent } from '#contract/runtime-api/vocabulary.ts'
import { protectedProblems } from '../../engine/changes/check-changes.ts'
import type { ChangeStep } from '../../engine/change-requests/transition.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import {
  ENTRIES_MAX,
  insertChangeRequest,
  insertEntry,
  lockChangeRequest,
  putApproval,
} from '../../store/change-requests/change-requests.ts'
import type { ChangeRequestRow } from '../../store/change-requests/change-requests.ts'
import { readMoment } from '../../store/change-requests/list-change-requests.ts'
import { findScope, lockScope } from '../../store/configuration/scopes.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { recordAudit } from '../audit/record.ts'
import { authorize, notFound, requireRecentSignIn } from '../authorize.ts'
import { staleSnapshot } from '../configuration/snapshot.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { evaluateChange, permissionFor, readNamed, sealContent } from './evaluate.ts'
import type { ChangeContent, ChangeInput } from './evaluate.ts'
import {
  auditOf,
  authorizeAll,
  authorOf,
  changeRequestView,
  factsOf,
  lockFor,
  step,
  store,
  visibleScopesOf,
} from './steps.ts'
import type { LockedChange } from './steps.ts'
import { entryView } from './read.ts'

type Path = '/change-requests/{changeRequestId}'
type Changed = Answer<'POST /change-requests'>

/** Makes a request: a draft, or submitted at once. Refuses a target that the actor may not see, and a moved snapshot. */
export async function createChangeRequest(
  context: WriteContext,
  { body }: Input<'POST /change-requests'>,
): Promise<Changed> {
  const { tx, deps, actor } = context
  const id = uuidv7(deps)
  const key = Buffer.from(deps.random.bytes(32)).toString('base64url')
  const content = await contentFor(context, body, { key, before: null })
  const author = authorOf(actor, id, content)
  const evaluated = await evaluateChange({ db: tx, keys: deps, author }, content)
  if (evaluated.scopes.length === 0) throw notFound('target')
  for (const scope of evaluated.scopes) {
    authorize(actor, 'read', scope)
    authorize(actor, 'change:propose', scope)
  }
  const row = {
    change_request_id: id,
    kind: body.kind,
    title: body.title,
    reason: body.reason ?? null,
    state: 'DRAFT' as const,
    content: sealContent(deps.vault, id, content),
    shown_input: JSON.stringify(evaluated.shownInput),
    environment_key: evaluated.scope?.environmentKey ?? null,
    application_runtime_id: evaluated.scope?.applicationRuntimeId ?? null,
    workspace_id: evaluated.scope?.workspaceId ?? null,
    bundle_install_id: evaluated.bundleInstallId,
    base_snapshot: body.kind === 'CONFIGURE' ? evaluated.snapshotVersion : null,
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
  const facts = await factsOf(tx, made, evaluated, evaluated.scopes)
  if (body.submit) {
    const locked = { row: made, evaluated, facts }
    made = await store(tx, deps, locked, {
      state: step(made, 'submit', facts),
      entry: { actor, event: 'SUBMITTED' },
    })
  }
  return { changeRequest: changeRequestView(made, facts.approvals) }
}

type Given = Pick<NewChangeRequest, 'kind' | 'input'> & {
  scope?: Extract<NewChangeRequest, { kind: 'CONFIGURE' }>['scope']
}

/** The content of a request from what is given, with the values that it keeps. */
async function contentFor(
  context: WriteContext,
  given: Given,
  { key, before }: { key: string; before: ChangeInput | null },
): Promise<ChangeContent> {
  const { tx, deps } = context
  const change = inputOf(given, before)
  refuseFor(changesIn(change).flatMap(protectedProblems))
  if (change.kind !== 'CONFIGURE') return { change, base: {}, key }
  const scope = await findScope(tx, change.scope)
  if (scope === undefined) throw notFound('scope')
  const seen = (given.input as { snapshotVersion?: number }).snapshotVersion
  if (seen !== scope.snapshot_version) throw staleSnapshot(scope.snapshot_version)
  await lockScope(tx, change.scope)
  const { current } = await readNamed({ db: tx, keys: deps }, scope, change.input.changes)
  return { change, base: current, key }
}

function changesIn(change: ChangeInput): Changes[] {
  switch (change.kind) {
    case 'CONFIGURE':
      return [change.input.changes]
    case 'INSTALL':
    case 'UPGRADE':
      return change.input.properties === undefined ? [] : [change.input.properties]
    case 'DETACH':
    case 'TAKEOVER':
    case 'BATCH':
      return []
  }
}

function inputOf(given: Given, before: ChangeInput | null): ChangeInput {
  const kept = (changes: KeptChanges, stored: Changes | undefined) => keptChanges(changes, stored ?? {})
  // the discriminated union of the contract has parsed which input belongs to which kind
  const one = given as NewChangeRequest
  switch (one.kind) {
    case 'CONFIGURE': {
      const { snapshotVersion: _, changes, ...input } = one.input
      const stored = before?.kind === 'CONFIGURE' ? before.input.changes : undefined
      return { kind: 'CONFIGURE', scope: one.scope, input: { ...input, changes: kept(changes, stored) } }
    }
    case 'INSTALL':
    case 'UPGRADE': {
      const stored = before?.kind === one.kind ? before.input.properties : undefined
      const { properties } = one.input
      const values = properties && { properties: kept(properties, stored) }
      return { kind: one.kind, input: { ...one.input, ...values } } as ChangeInput
    }
    case 'DETACH':
    case 'TAKEOVER':
    case 'BATCH':
      return { kind: one.kind, input: one.input } as ChangeInput
  }
}

type KeptChanges = Extract<NewChangeRequest, { kind: 'CONFIGURE' }>['input']['changes']

/** Puts in the stored value where a change keeps it. */
function keptChanges(changes: KeptChanges, stored: Changes): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([locator, properties]) => [
      locator,
      Object.fromEntries(
        Object.entries(properties).map(([property, value]) => {
          if (value === null || value['@type'] !== 'Data' || 'value' in value) return [property, value]
          const kept = getOwn(getOwn(stored, locator) ?? {}, property)
          if (kept !== undefined) return [property, kept]
          throw new DomainError('REQUEST_INVALID', platformMessage('changeValueUnknown'), {
            details: [
              { locator, property, errorCode: 'REQUEST_INVALID', ...platformMessage('changeValueUnknown') },
            ],
          })
        }),
      ),
    ]),
  )
}

/** Edits a request. Anyone who edits it becomes one of its authors, whose approvals do not count. */
export async function editChangeRequest(
  context: WriteContext,
  { params, body }: Input<`PATCH ${Path}`>,
): Promise<Changed> {
  const { tx, deps, actor } = context
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
    written = await contentFor(context, given, { key: content.key, before: change })
  }
  const authors = input === undefined ? row.author_ids : [...new Set([...row.author_ids, actor.id])]
  const author = actor.id === row.created_by_id ? authorOf(actor, row.change_request_id, written) : row.actor
  // what somebody else wrote is not applied with the permissions of the author, unless somebody who has them schedules it
  const isByOther = input !== undefined && actor.id !== row.created_by_id
  if (input !== undefined) {
    const evaluated = await evaluateChange({ db: tx, keys: deps, author }, written, {
      scope: locked.evaluated.scope,
      scopes: locked.scopes,
      bundleInstallId: row.bundle_install_id,
    })
    authorizeAll(actor, 'change:propose', evaluated.scopes)
    const facts = await factsOf(tx, { ...row, author_ids: authors }, evaluated, evaluated.scopes)
    next = { ...locked, evaluated, facts: { ...facts, hasSchedule: facts.hasSchedule && !isByOther } }
  }
  const state = stepOrConflict(next, 'edit')
  const stored = await store(tx, deps, next, {
    state,
    values: {
      revision: row.revision + 1,
      author_ids: authors,
      actor: JSON.stringify(author),
      ...(isByOther && { not_before: null, not_after: null, time_zone: null }),
      ...(title !== undefined && { title }),
      ...(reason !== undefined && { reason }),
    },
    entry: { actor, event: state === 'CONFLICTED' && row.state !== 'CONFLICTED' ? 'CONFLICTED' : 'EDITED' },
  })
  await recordAudit(tx, actor, {
    action: 'change.edit',
    ...auditOf(stored, locked.scopes),
    reason: stored.reason,
  })
  return { changeRequest: changeRequestView(stored, next.facts.approvals) }
}

/** The state after a step that judges the effect again: a request that overlaps with what others saved is CONFLICTED. */
export function stepOrConflict({ row, evaluated, facts }: LockedChange, taken: ChangeStep) {
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
    const state = ends ? step(row, taken, facts) : stepOrConflict(unscheduled(locked, taken), taken)
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

const unscheduled = (locked: LockedChange, taken: ChangeStep): LockedChange =>
  taken === 'unschedule' ? { ...locked, facts: { ...locked.facts, hasSchedule: false } } : locked

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

/** Approves the effect that the actor saw. Refuses those who wrote the request, and another effect with PLAN_STALE. */
export async function approveChangeRequest(
  context: WriteContext,
  { params, body }: Input<`POST ${Path}/approve`>,
): Promise<Changed> {
  const { tx, deps, actor } = context
  const locked = await lockFor(context, params.changeRequestId, 'change:approve', body.revision)
  const { row, evaluated, scopes } = locked
  requireOther(row, actor.id)
  step(row, 'approve', locked.facts)
  if (evaluated.conflicts.length > 0)
    throw new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeConflicted'))
  if (evaluated.plan.effect === null || evaluated.plan.effect !== body.effect)
    throw new DomainError('PLAN_STALE', platformMessage('changeEffectMoved'))
  await putApproval(tx, {
    changeRequestId: row.change_request_id,
    actor,
    revision: row.revision,
    effect: body.effect,
    shown: evaluated.shown,
    comment: body.comment ?? null,
  })
  const facts = await factsOf(tx, row, evaluated, scopes)
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
  const stored = await store(
    tx,
    deps,
    { ...locked, facts },
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
  const scopes = await visibleScopesOf(tx, actor, params.changeRequestId)
  authorizeAll(actor, 'change:propose', scopes)
  const row = await lockChangeRequest(tx, params.changeRequestId)
  if (row === undefined) throw notFound('change request')
  const entry = await insertEntry(tx, {
    changeRequestId: row.change_request_id,
    actor,
    event: 'COMMENTED',
    revision: row.revision,
    text: body.text,
    target: body.target,
  })
  if (entry === null)
    throw new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeHistoryFull', { max: ENTRIES_MAX }))
  await recordAudit(tx, actor, { action: 'change.comment', ...auditOf(row, scopes), reason: body.text })
  return { entry: entryView(entry) }
}
