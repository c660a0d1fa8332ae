import { mayIn } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import { batchStep } from '../../engine/batches/batch-step.ts'
import { DomainError } from '../../engine/refusals.ts'
import { readProgress } from '../../store/batches/batch-progress.ts'
import { listScopesOfItems, lockBatch, resumeBatch } from '../../store/batches/batches.ts'
import { moveBatch, skipPending } from '../../store/batches/run-items.ts'
import { recordAudit } from '../audit/record.ts'
import { authorize, notFound, requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { actingFor } from './create-batch.ts'
import { neededApprovals, requireBatch } from './read-batches.ts'
import { subjectOfBatch } from './summary.ts'

/**
 * Continues a paused batch, or starts the wave that waits in spite of its conditions, for the person who continues it: their
 * grants are used from now on. Refuses with BATCH_NOT_PAUSED if it does neither, also if another wave waits. To pass the
 * conditions of a batch that others approved is an override.
 */
export async function continueBatch(
  context: WriteContext,
  { params, body }: Input<'POST /batches/{batchId}/continue'>,
): Promise<Answer<'POST /batches/{batchId}/continue'>> {
  const { tx, actor } = context
  const { batch, scopes } = await lockFor(context, params.batchId)
  if (batch.overrides) for (const scope of scopes) authorize(actor, 'change:override', scope)
  if (batch.action === 'TAKEOVER' || batch.overrides) requireRecentSignIn(actor)
  const wave = batch.state === 'RUNNING' ? await waitingWave(context, batch.batch_id) : null
  if (batch.state !== 'PAUSED' && (wave === null || wave !== body.wave))
    throw new DomainError('BATCH_NOT_PAUSED', platformMessage('batchNotPaused', { actual: batch.state }))
  const overridden = wave !== null && (await neededApprovals(tx, batch))
  if (overridden) {
    for (const scope of scopes) authorize(actor, 'change:override', scope)
    requireRecentSignIn(actor)
  }
  await resumeBatch(tx, batch.batch_id, {
    // only the first items were held back for a look at their results
    isReleased: batch.is_released || batch.because === 'FIRST',
    wave,
    actor: JSON.stringify(actingFor(actor, batch.batch_id, batch)),
  })
  await recordAudit(tx, actor, {
    action: 'batch.continue',
    ...subjectOfBatch({ ...batch, batchId: batch.batch_id }, scopes),
    reason: body.reason ?? null,
    overridden,
  })
  return { batch: await requireBatch(tx, actor, batch.batch_id) }
}

/** The wave that waits for its conditions, as the platform will judge it; null if none does. */
async function waitingWave({ tx }: WriteContext, batchId: string): Promise<number | null> {
  const progress = (await readProgress(tx, [batchId])).get(batchId)
  const step = progress && batchStep(progress)
  return step?.kind === 'hold' ? step.wave : null
}

/** Stops a batch: what has started ends, and the rest is skipped. */
export async function stopBatch(
  context: WriteContext,
  { params, body }: Input<'POST /batches/{batchId}/stop'>,
): Promise<Answer<'POST /batches/{batchId}/stop'>> {
  const { tx, actor } = context
  const { batch, scopes } = await lockFor(context, params.batchId)
  if (batch.state === 'DONE' || batch.state === 'STOPPED')
    throw new DomainError('BATCH_FINISHED', platformMessage('batchFinished'))
  await skipPending(tx, batch.batch_id)
  await moveBatch(tx, batch.batch_id, { state: 'STOPPED', because: 'PERSON', by: actor })
  await recordAudit(tx, actor, {
    action: 'batch.stop',
    ...subjectOfBatch({ ...batch, batchId: batch.batch_id }, scopes),
    reason: body.reason ?? null,
  })
  return { batch: await requireBatch(tx, actor, batch.batch_id) }
}

/** Locks a batch with the scope of each target, if the actor has its permission for every one. */
async function lockFor({ tx, actor }: WriteContext, batchId: string) {
  await requireBatch(tx, actor, batchId)
  const batch = await lockBatch(tx, batchId)
  if (batch === undefined) throw notFound('batch')
  const scopes = await listScopesOfItems(tx, batchId)
  for (const scope of scopes) {
    if (!mayIn(actor.grants, 'read', scope)) throw notFound('batch')
    authorize(actor, BATCH_PERMISSION[batch.action], scope)
  }
  return { batch, scopes }
}
