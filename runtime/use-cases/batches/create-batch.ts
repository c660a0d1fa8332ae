import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { BatchAction } from '#contract/runtime-api/vocabulary.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { batchPlace } from '../../sealing/places.ts'
import { insertBatch, insertItems } from '../../store/batches/batches.ts'
import { moveBatch } from '../../store/batches/run-items.ts'
import { recordAudit } from '../audit/record.ts'
import { requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { problemsOf } from '../plans/plan-view.ts'
import { refuseMovedTargets } from './batch-token.ts'
import { requireBatch } from './read-batches.ts'
import { recordRefusal } from './record-refusal.ts'
import { showBatch } from './show-batch.ts'
import { subjectOfBatch, summaryOf } from './summary.ts'
import { requireReasonToOverride, wayOfItem } from '../gate/admit.ts'
import { changesText, inputFor, inputOf, planTargets, waveOfEach } from './targets.ts'
import type { PlannedTarget } from './targets.ts'

/**
 * Makes a batch. Its targets are frozen, and each is planned: a target that would be refused now is REFUSED and never
 * starts. Refuses with NOT_FOUND or PERMISSION_DENIED if the actor may not do this to every target, and with PLAN_STALE
 * if the plan of a target has moved.
 */
export async function createBatch(
  context: WriteContext,
  { body }: Input<'POST /batches'>,
): Promise<Answer<'POST /batches'>> {
  const { tx, actor, deps, hasRead } = context
  const { vault } = deps
  const overrides = body.override === true
  requireReasonToOverride(body)
  const way = wayOfItem(overrides, body.reason, context)
  const { targets: planned } = await planTargets({ db: tx, vault, actor, way, hasRead }, body)
  const denied = planned.flatMap(({ refusals }) =>
    refusals.filter(({ code }) => code === 'PERMISSION_DENIED'),
  )
  if (denied[0] !== undefined) throw denied[0]
  // the person who applied or scheduled its change request signed in for that
  if ((body.action === 'TAKEOVER' || overrides) && context.isApproved !== true) requireRecentSignIn(actor)
  if (body.planToken !== undefined) await refuseMovedTargets({ db: tx, vault }, body.planToken, body, planned)
  for (const { target, refusals } of planned)
    if (context.moved?.has(target) === true)
      refusals.push(new DomainError('PLAN_STALE', platformMessage('planTargetMoved')))
  const waves = waveOfEach(body, planned)
  const batchId = uuidv7(deps)
  const acting = actingFor(actor, batchId, { action: body.action, overrides })
  const input = inputOf(body)
  const summary = summaryOf(planned)
  const stopsAtOnce = planned.every(({ refusals }) => refusals.length > 0)
  const shown = showBatch(body, planned)
  await insertBatch(tx, {
    batch_id: batchId,
    action: body.action,
    title: body.title ?? '',
    summary: JSON.stringify(summary),
    input: vault.seal(Buffer.from(JSON.stringify(input)), batchPlace(batchId)),
    shown_input: JSON.stringify(shown.input),
    first: body.first ?? null,
    concurrency: body.concurrency,
    stop_after_failures: body.stopAfterFailures ?? null,
    waves: body.waves === undefined ? null : JSON.stringify(body.waves),
    reason: body.reason ?? null,
    overrides,
    requested_by_id: actor.id,
    requested_by_name: actor.name,
    actor: JSON.stringify(acting),
  })
  // wave by wave, because items start in their order
  const ordered = planned.toSorted((one, other) => waveIn(waves, one) - waveIn(waves, other))
  const items = ordered.map((one, position) => ({
    batch_id: batchId,
    position,
    // an installation gets this id when its item starts
    target: one.installation === null ? uuidv7(deps) : one.target,
    wave: waves.get(one.target) ?? null,
    shown_values: JSON.stringify(shown.valuesOf(one)),
    ...plannedItem(vault, body.action, input, one),
  }))
  await insertItems(tx, items)
  // as an update, like every other end of a batch, so that it is reported with its counts
  if (stopsAtOnce) await moveBatch(tx, batchId, { state: 'DONE', because: null, isFinished: true })
  await recordAudit(tx, actor, {
    action: 'batch.create',
    ...subjectOfBatch(
      { batchId, action: body.action, title: body.title ?? '', summary },
      planned.map(({ scope }) => scope),
    ),
    reason: body.reason ?? null,
    overridden: overrides,
  })
  await recordRefusals(tx, acting, body, planned)
  return { batch: await requireBatch(tx, actor, batchId) }
}

/** What an item keeps of the plan of its target. */
function plannedItem(
  vault: Vault,
  action: BatchAction,
  input: ReturnType<typeof inputOf>,
  one: PlannedTarget,
) {
  const [problem] = one.refusals.flatMap(problemsOf)
  return {
    bundle_install_id: one.installation?.bundle_install_id ?? null,
    scope_id: one.scopeId,
    ...(one.scopeId === null && {
      environment_key: one.scope.environmentKey,
      application_runtime_id: one.scope.applicationRuntimeId,
      workspace_id: one.scope.workspaceId,
    }),
    refused_in_plan: problem !== undefined,
    run: one.run,
    plan_token: one.token,
    changes_digest:
      // a new installation has no values that somebody else could have saved
      one.plan === null || one.installation === null
        ? null
        : vault.digest(changesText(action, inputFor(input, one.target), one.plan)),
    code: problem?.errorCode ?? null,
    message: problem?.message ?? null,
    locator: problem?.locator ?? null,
    property: problem?.property ?? null,
    parameters: problem?.parameters === undefined ? null : JSON.stringify(problem.parameters),
  }
}

/** Records in the audit which targets are refused from the start. */
async function recordRefusals(
  tx: Tx,
  acting: Actor,
  { action, reason = null }: { action: BatchAction; reason?: string | null | undefined },
  planned: readonly PlannedTarget[],
): Promise<void> {
  for (const { target, title, scope, installation, refusals } of planned) {
    const [problem] = refusals.flatMap(problemsOf)
    if (problem === undefined) continue
    await recordRefusal(
      tx,
      acting,
      { action, reason },
      {
        target,
        // the target of an INSTALL is a scope
        subject: installation === null ? target : (title ?? target),
        ...(installation !== null && { bundleInstallId: installation.bundle_install_id }),
        scope,
        errorCode: problem.errorCode,
      },
    )
  }
}

const waveIn = (waves: ReadonlyMap<string, number>, { target }: PlannedTarget): number =>
  waves.get(target) ?? Number.MAX_SAFE_INTEGER

/** The person for whom items are carried out, with the permissions that this action needs and no others. */
export function actingFor(
  person: Actor,
  batchId: string,
  { action, overrides }: { action: BatchAction; overrides: boolean },
): Actor {
  const { signedInRecently: _, ...actor } = person
  const needed = ['read', BATCH_PERMISSION[action], ...(overrides ? (['change:override'] as const) : [])]
  return {
    ...actor,
    grants: actor.grants.map(({ permissions, scope }) => ({
      permissions: permissions.filter((permission) => needed.some((one) => one === permission)),
      scope,
    })),
    // what the items do is not part of the request that made the batch
    requestId: batchId,
  }
}
