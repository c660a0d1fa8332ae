import { mayIn } from '#contract/endpoint/permission.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { ChangeEvent } from '#contract/runtime-api/vocabulary.ts'
import type { Updateable } from 'kysely'
import { LIVE_STATES, transition } from '../../engine/change-requests/transition.ts'
import type { ChangeFacts, ChangeStep } from '../../engine/change-requests/transition.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import {
  entriesMax,
  findChangeRequest,
  insertEntry,
  lockChangeRequest,
  putScopes,
  readApprovals,
  readScopes,
  readScopeVersions,
  updateChangeRequest,
} from '../../store/change-requests/change-requests.ts'
import type {
  ApprovalRow,
  ChangeRequestRow,
  EntryRow,
  ScopeVersions,
} from '../../store/change-requests/change-requests.ts'
import type { ChangeRequestHead } from '../../store/change-requests/list-change-requests.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { systemActor } from '../audit/record.ts'
import { authorize, notFound } from '../authorize.ts'
import type { WriteContext } from '../context.ts'
import { kindsOf, openContent, permissionFor, sealContent } from './content.ts'
import { evaluateChange } from './evaluate.ts'
import type { ChangeContent } from './content.ts'
import type { Evaluated } from './evaluate.ts'
import { strictestPolicy } from './policies.ts'

/** A request, which is locked unless somebody only judges it, with what it would do now. */
export interface EvaluatedChange {
  row: ChangeRequestRow
  scopes: Scope[]
  content: ChangeContent
  evaluated: Evaluated
  facts: ChangeFacts
  /** The versions of its scopes with which it was evaluated; without, the runner judges it again. */
  judged?: ScopeVersions
}

/** Where a request changes something, if the actor may see all of that. */
export async function visibleScopesOf(db: Db, actor: Actor, changeRequestId: string): Promise<Scope[]> {
  const scopes = await readScopes(db, changeRequestId)
  if (scopes.length === 0 || !scopes.every((scope) => mayIn(actor.grants, 'read', scope)))
    throw notFound('change request')
  return scopes
}

export async function requireChangeRequest(db: Db, changeRequestId: string): Promise<ChangeRequestRow> {
  const row = await findChangeRequest(db, changeRequestId)
  if (row === undefined) throw notFound('change request')
  return row
}

export function authorizeAll(actor: Actor, permission: Permission, scopes: readonly Scope[]): void {
  for (const scope of scopes) authorize(actor, permission, scope)
}

/** Locks a request all of whose scopes the actor may see. */
export async function lockVisible(
  tx: Tx,
  actor: Actor,
  changeRequestId: string,
): Promise<{ row: ChangeRequestRow; scopes: Scope[] }> {
  // who may not see it neither waits for its lock nor has it read, which would tell that it exists
  await visibleScopesOf(tx, actor, changeRequestId)
  const row = await lockChangeRequest(tx, changeRequestId)
  if (row === undefined) throw notFound('change request')
  // an edit may have moved it to other scopes before it was locked
  return { row, scopes: await visibleScopesOf(tx, actor, changeRequestId) }
}

/**
 * Locks a request for a step of a person. Refuses with NOT_FOUND if they may not see all of it, with PERMISSION_DENIED, and
 * with CHANGE_REQUEST_STALE if it is not at the revision that they saw, and with CHANGE_REQUEST_STATE if it cannot change any more.
 */
export async function lockFor(
  context: WriteContext,
  changeRequestId: string,
  permission: Permission,
  revision: number,
): Promise<EvaluatedChange> {
  const { tx, actor, deps, spendMore, hasRead } = context
  const { row, scopes } = await lockVisible(tx, actor, changeRequestId)
  authorizeAll(actor, permission, scopes)
  if (row.revision !== revision)
    throw new DomainError('CHANGE_REQUEST_STALE', platformMessage('changeStale', { current: row.revision }))
  if (!LIVE_STATES.some((state) => state === row.state)) throw wrongState(row)
  spendMore?.(planningCost(row))
  return evaluateRow(tx, deps, row, scopes, hasRead)
}

const BYTES_FOR_ONE = 1500
const VALUES_FOR_ONE = 250

/** What each look at a request costs beside the row of the endpoint: it is planned, however many values and targets it has. */
export function planningCost({
  content,
  shown_input,
}: Pick<ChangeRequestRow, 'content' | 'shown_input'>): number {
  const targets = shown_input.targets?.length ?? 0
  const values = targets * (shown_input.batch?.properties.length ?? 0)
  return targets + Math.floor((content?.length ?? 0) / BYTES_FOR_ONE + values / VALUES_FOR_ONE)
}

/** Evaluates a request and counts its approvals. Who has not locked it looks at it again before storing anything. */
export async function evaluateRow(
  tx: Tx,
  deps: RuntimeDeps,
  row: ChangeRequestRow,
  scopes: Scope[],
  hasRead?: WriteContext['hasRead'],
): Promise<EvaluatedChange> {
  const judged = await readScopeVersions(tx, row.change_request_id)
  const content = await openContent({ db: tx, vault: deps.vault }, row)
  const reading = { db: tx, keys: deps, author: row.actor, reader: row.actor, hasRead }
  const evaluated = await evaluateChange(reading, content, { ...placeOf(row), scopes })
  return { row, scopes, content, evaluated, facts: await factsOfRequest(tx, row, evaluated, scopes), judged }
}

export const placeOf = (
  row: Pick<
    ChangeRequestRow,
    'environment_key' | 'application_runtime_id' | 'workspace_id' | 'bundle_install_id'
  >,
) => ({
  scope:
    row.environment_key === null || row.application_runtime_id === null || row.workspace_id === null
      ? null
      : {
          environmentKey: row.environment_key,
          applicationRuntimeId: row.application_runtime_id,
          workspaceId: row.workspace_id,
        },
  bundleInstallId: row.bundle_install_id,
})

/** The approvals of an effect that count: nobody approves what they wrote. */
export const countingApprovals = (
  approvals: readonly ApprovalRow[],
  { author_ids }: Pick<ChangeRequestRow, 'author_ids'>,
  effect: string | null,
): ApprovalRow[] =>
  approvals.filter((approval) => approval.effect === effect && !author_ids.includes(approval.approver_id))

/** What counts now. A policy that has been weakened since the request was submitted changes nothing for it. */
export async function factsOfRequest(
  db: Db,
  row: Pick<ChangeRequestRow, 'change_request_id' | 'author_ids' | 'approvals_needed' | 'not_after'>,
  { plan, content }: Pick<Evaluated, 'plan' | 'content'>,
  scopes: readonly Scope[],
): Promise<ChangeFacts> {
  const approvals = await readApprovals(db, row.change_request_id)
  const strictest = await strictestPolicy(db, scopes, kindsOf(content.change))
  return {
    approvals: countingApprovals(approvals, row, plan.effect).length,
    needed: Math.max(row.approvals_needed, strictest?.approvals ?? 0),
    hasSchedule: row.not_after !== null,
  }
}

/** Takes a step, or refuses it with CHANGE_REQUEST_STATE. */
export function step(row: Pick<ChangeRequestRow, 'state'>, taken: ChangeStep, facts: ChangeFacts) {
  const state = transition(row.state, taken, facts)
  if (state !== null) return state
  if (row.state === 'CONFLICTED')
    throw new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeConflicted'))
  if (taken === 'apply' && LIVE_STATES.some((live) => live === row.state) && row.state !== 'DRAFT')
    throw new DomainError(
      'APPROVAL_REQUIRED',
      platformMessage('approvalsMissing', { approvals: facts.approvals, needed: facts.needed }),
    )
  throw wrongState(row)
}

const wrongState = ({ state }: Pick<ChangeRequestRow, 'state'>): DomainError =>
  new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeState', { actual: state }))

type Values = Updateable<RuntimeTables['runtime.change_request']>

/** Whether policies ask for more approvals of a submitted request than at its last step. */
export const asksForMore = (
  { state, approvals_needed }: Pick<ChangeRequestRow, 'state' | 'approvals_needed'>,
  { needed }: Pick<ChangeFacts, 'needed'>,
): boolean => state !== 'DRAFT' && needed > approvals_needed

/** Stores a step with what the evaluation found, and its entry in the history, after one of a policy that asks for more approvals. */
export async function store(
  tx: Tx,
  deps: Pick<RuntimeDeps, 'vault'>,
  { row, evaluated, facts, judged }: Pick<EvaluatedChange, 'row' | 'evaluated' | 'facts' | 'judged'>,
  stored: {
    state: ChangeRequestRow['state']
    values?: Values
    entry?: { actor: Pick<Actor, 'id' | 'name'>; event: ChangeEvent; text?: string | null }
  },
): Promise<ChangeRequestRow> {
  const { state, values = {}, entry } = stored
  const hasEnded = ENDS.has(state)
  const isLive = !hasEnded && state !== 'APPLYING'
  const isStricter = isLive && asksForMore(row, facts)
  const next = await updateChangeRequest(tx, row.change_request_id, {
    state,
    ...(isLive && {
      content: sealContent(deps.vault, row.change_request_id, evaluated.content),
      shown_input: JSON.stringify(evaluated.shownInput),
      effect: evaluated.plan.effect,
      conflicts: JSON.stringify(evaluated.shownConflicts),
      ...(evaluated.snapshotVersion !== null && { base_snapshot: evaluated.snapshotVersion }),
      // an INSTALL may be edited to be one into another scope
      ...(evaluated.scope !== null && scopeColumns(evaluated.scope)),
      bundle_install_id: evaluated.bundleInstallId,
    }),
    // its secrets are of no use any more
    ...(hasEnded && { content: null }),
    ...(state !== 'DRAFT' && { approvals_needed: facts.needed }),
    ...values,
    judge_again: false,
    hasEnded,
    // a base that moved without a consequence: the time of the last step says when a reminder is due
    isStep: entry !== undefined || isStricter,
  })
  if (evaluated.scopes.length > 0 && isLive)
    await putScopes(tx, row.change_request_id, evaluated.scopes, judged)
  const of = { changeRequestId: row.change_request_id, revision: next.revision }
  const policy = isStricter
    ? await strictestPolicy(tx, evaluated.scopes, kindsOf(evaluated.content.change))
    : null
  if (policy !== null)
    await insertEntry(tx, { ...of, actor: systemActor(of.changeRequestId), event: 'REBASED', policy })
  if (entry !== undefined) await addEntry(tx, { ...of, ...entry })
  return next
}

/** Adds an entry to the history of a locked request. Refuses a comment or an edit with CHANGE_REQUEST_STATE if it is full. */
export async function addEntry(tx: Tx, entry: Parameters<typeof insertEntry>[1]): Promise<EntryRow> {
  const row = await insertEntry(tx, entry)
  if (row !== null) return row
  throw new DomainError(
    'CHANGE_REQUEST_STATE',
    platformMessage('changeHistoryFull', { max: entriesMax(entry.event) }),
  )
}

export const scopeColumns = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope) => ({
  environment_key: environmentKey,
  application_runtime_id: applicationRuntimeId,
  workspace_id: workspaceId,
})

const ENDS: ReadonlySet<string> = new Set(['APPLIED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'REFUSED'])

/** The author with the permissions that the change needs and no others, as a batch keeps them. */
export function authorOf(person: Actor, id: string, { change }: ChangeContent): Actor {
  const { signedInRecently: _, ...actor } = person
  const needed = new Set<Permission>(['read', permissionFor(change)])
  return {
    ...actor,
    grants: actor.grants.map(({ permissions, scope }) => ({
      permissions: permissions.filter((permission) => needed.has(permission)),
      scope,
    })),
    requestId: id,
  }
}

/** How the audit names a request. */
export function auditOf(
  row: Pick<ChangeRequestRow, 'change_request_id' | 'kind' | 'title'>,
  scopes: readonly Scope[],
) {
  const [first] = scopes
  const isShared = first !== undefined && scopes.every((scope) => scopeText(scope) === scopeText(first))
  return {
    subject: `${row.kind} ${row.change_request_id} "${row.title}"`,
    ...(isShared && { scope: first }),
  }
}

export function changeRequestView(row: ChangeRequestHead, approvals: number): ChangeRequest {
  const { scope, bundleInstallId } = placeOf(row)
  return {
    changeRequestId: row.change_request_id,
    kind: row.kind,
    title: row.title,
    reason: row.reason,
    scope,
    bundleInstallId,
    state: row.state,
    revision: row.revision,
    createdBy: { id: row.created_by_id, name: row.created_by_name },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
    approvals,
    approvalsNeeded: row.approvals_needed,
    schedule:
      row.not_before === null || row.not_after === null
        ? null
        : { notBefore: row.not_before, notAfter: row.not_after, timeZone: row.time_zone ?? 'UTC' },
    operations: row.operation_ids,
    batchId: row.batch_id,
    overridden: row.overridden,
    failure:
      row.code === null
        ? null
        : {
            errorCode: row.code,
            message: row.message ?? '',
            ...(row.parameters !== null && { parameters: row.parameters }),
          },
  }
}
