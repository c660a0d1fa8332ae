import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { BATCH_CONCURRENCY_DEFAULT } from '#contract/runtime-api/batches.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import { insertEntry, nameOrigin, updateChangeRequest } from '../../store/change-requests/change-requests.ts'
import { recordAudit } from '../audit/record.ts'
import { admit, requireReasonToOverride } from '../gate/admit.ts'
import { requireRecentSignIn } from '../authorize.ts'
import { createBatch } from '../batches/create-batch.ts'
import { saveConfiguration } from '../configuration/save.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { detach } from '../installations/detach.ts'
import { install } from '../installations/install.ts'
import { upgrade } from '../installations/upgrade.ts'
import { takeOverOperation } from '../operations/take-over.ts'
import { kindsOf, permissionFor } from './content.ts'
import { auditOf, authorizeAll, changeRequestView, lockFor, step, store } from './steps.ts'
import type { EvaluatedChange } from './steps.ts'

type Path = 'POST /change-requests/{changeRequestId}/apply'

/**
 * Applies a request in the name of the actor, by the ordinary use case with the token of its plan. The start of its
 * operations and the end of the request commit together, so it is applied once or not at all. With `override`, without the
 * approvals that it needs, and in spite of a freeze.
 */
export async function applyChangeRequest(
  context: WriteContext,
  { params, body }: Input<Path>,
): Promise<Answer<Path>> {
  const { tx, deps, actor } = context
  const locked = await lockFor(context, params.changeRequestId, 'read', body.revision)
  const { row, content, scopes, facts } = locked
  authorizeAll(actor, permissionFor(content.change), scopes)
  const isOverridden =
    body.override && (facts.approvals < facts.needed || (await isRestrained(context, locked)))
  if (isOverridden) {
    authorizeAll(actor, 'change:override', scopes)
    requireRecentSignIn(actor)
    requireReasonToOverride({ override: true, reason: body.reason })
  }
  if (permissionFor(content.change) === 'operation:takeover') requireRecentSignIn(actor)
  const state = step(row, isOverridden ? 'override' : 'apply', facts)
  if (locked.evaluated.conflicts.length > 0)
    throw new DomainError('CHANGE_REQUEST_STATE', platformMessage('changeConflicted'))
  await locked.evaluated.refuseIfMoved(body.planToken)
  const stored = await store(tx, deps, locked, {
    state,
    values: { overridden: isOverridden },
    entry: { actor, event: isOverridden ? 'OVERRIDDEN' : 'APPLYING', text: body.reason ?? null },
  })
  await recordAudit(tx, actor, {
    action: 'change.apply',
    ...auditOf(row, scopes),
    reason: body.reason ?? null,
    overridden: isOverridden,
  })
  const applied = await carryOut(
    { ...context, actor: { ...actor, requestId: row.change_request_id } },
    { ...locked, row: stored },
    body.reason,
  )
  return { changeRequest: changeRequestView(applied, facts.approvals) }
}

/** Whether the gate would refuse it with all approvals. */
async function isRestrained(
  { tx, actor }: WriteContext,
  { scopes, content }: EvaluatedChange,
): Promise<boolean> {
  const kinds = kindsOf(content.change)
  const way = { isApproved: true, ...(kinds.includes('BATCH') && { isItem: true as const }) } as const
  for (const scope of scopes)
    for (const kind of kinds)
      if (kind !== 'BATCH' && (await admit(tx, actor, { kind, scope }, way)).problems.length > 0) return true
  return false
}

/**
 * Runs the ordinary use case of a request that is APPLYING, and notes what it started. What starts nothing is APPLIED at
 * once. Throws a DomainError as the use case does: it judges again what it has locked, by the token of the plan for which the approvals
 * were counted.
 */
export async function carryOut(
  context: WriteContext,
  { row, evaluated }: Pick<EvaluatedChange, 'row' | 'evaluated'>,
  givenReason?: string,
): Promise<EvaluatedChange['row']> {
  const { tx } = context
  refuseFor(evaluated.exposed)
  // nothing would compare what is applied with what was seen
  if (evaluated.unplanned !== undefined) throw evaluated.unplanned
  const { planToken } = evaluated.plan
  const reason = givenReason ?? row.reason ?? undefined
  const started = await start(
    // a value that is given for a hidden one counts as a change, as in the plan
    { ...context, comparing: 'never', isStored: true, ...(!row.overridden && { isApproved: true as const }) },
    evaluated,
    {
      // what needs a reason is not made without one
      required: reason ?? row.title,
      ...(reason !== undefined && { reason }),
      ...(planToken !== null && { planToken }),
      ...(row.overridden && { override: true as const }),
      title: row.title,
    },
  )
  await nameOrigin(tx, { changeRequestId: row.change_request_id, isOverridden: row.overridden, ...started })
  const isDone = started.operationIds.length === 0 && started.batchId === null
  if (isDone)
    await insertEntry(tx, {
      changeRequestId: row.change_request_id,
      actor: context.actor,
      event: 'APPLIED',
      revision: row.revision,
    })
  return updateChangeRequest(tx, row.change_request_id, {
    state: isDone ? 'APPLIED' : 'APPLYING',
    operation_ids: started.operationIds,
    batch_id: started.batchId,
    // operations and batch have what they need
    content: null,
    hasEnded: isDone,
  })
}

interface Why {
  required: string
  reason?: string
  planToken?: string
  override?: true
  title: string
}

async function start(
  context: WriteContext,
  { content: { change }, snapshotVersion, plan }: EvaluatedChange['evaluated'],
  { required, title, ...why }: Why,
): Promise<{ operationIds: string[]; batchId: string | null }> {
  const query = {}
  const one = ({ operation }: { operation: { operationId: string } }) => ({
    operationIds: [operation.operationId],
    batchId: null,
  })
  const needed = { ...why, reason: required }
  switch (change.kind) {
    case 'CONFIGURE': {
      const { operations } = await saveConfiguration(context, {
        params: change.scope,
        query,
        body: { snapshotVersion: snapshotVersion ?? 1, ...change.input, ...why },
      })
      return { operationIds: operations.map(({ operationId }) => operationId), batchId: null }
    }
    case 'INSTALL':
      return one(await install(context, { params: {}, query, body: { ...change.input, ...why } }))
    case 'UPGRADE': {
      const { bundleInstallId, ...input } = change.input
      const current = plan.operation?.snapshotVersion
      const snapshot = input.properties !== undefined && current != null ? { snapshotVersion: current } : {}
      const params = { bundleInstallId }
      return one(await upgrade(context, { params, query, body: { ...input, ...snapshot, ...why } }))
    }
    case 'DETACH':
      return one(await detach(context, { params: change.input, query, body: needed }))
    case 'TAKEOVER': {
      const { operationId, run } = change.input
      return one(
        await takeOverOperation(context, { params: { operationId }, query, body: { run, ...needed } }),
      )
    }
    case 'BATCH': {
      const { batch } = await createBatch(context, {
        params: {},
        query,
        // the request has a reason if its action needs one
        body: {
          title,
          ...change.input,
          concurrency: change.input.concurrency ?? BATCH_CONCURRENCY_DEFAULT,
          ...needed,
        },
      })
      return { operationIds: [], batchId: batch.batchId }
    }
  }
}
