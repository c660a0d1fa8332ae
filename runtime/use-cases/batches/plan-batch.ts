import { BATCH_REFERENCES_MAX } from '#contract/runtime-api/batches.ts'
import type { BatchPlan, BatchRequest } from '#contract/runtime-api/batches.ts'
import { claimOf, identityOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import type { TokenKeys } from '../plans/plan-token.ts'
import { noticesOf, pluginNoticesOf } from '../plans/plan-notices.ts'
import { planAt, problemsOf } from '../plans/plan-view.ts'
import { brokenReferences } from '../registry/services.ts'
import { batchTokenOf } from './batch-token.ts'
import { shortened } from './show-batch.ts'
import { isSetBy, planTargets, waveOfEach } from './targets.ts'
import type { PlannedTarget, PlannedTargets } from './targets.ts'
import { wayOfItem } from '../gate/admit.ts'

/** What a batch would do to each target. Refuses only targets that the actor may not see. */
export function planBatch(
  context: ReadContext,
  { body }: Input<'POST /batches/plan'>,
): Promise<Answer<'POST /batches/plan'>> {
  const { actor, deps, hasRead } = context
  return planAt(context, async (db) => {
    // a plan overrides nothing, so nobody has to say why
    const way = wayOfItem(body.override === true, 'planned')
    const planned = await planTargets({ db, vault: deps.vault, actor, way, hasRead }, body)
    return planOfBatch(db, { ...deps, actor }, body, planned)
  })
}

/** Planned targets for display, with the token of the plan. Sensitive values are hidden. */
export async function planOfBatch(
  db: Db,
  { actor, ...keys }: TokenKeys & { actor: Actor },
  body: BatchRequest,
  { targets: planned, plugins }: PlannedTargets,
): Promise<BatchPlan> {
  const waves = waveOfEach(body, planned)
  const detached = planned.filter(({ refusals }) => refusals.length === 0)
  return {
    planToken: batchTokenOf(keys, body, planned),
    broken:
      body.action === 'DETACH' || body.action === 'TAKEOVER'
        ? await brokenReferences(db, actor, {
            bundleInstallIds: detached.flatMap(({ installation }) => installation?.bundle_install_id ?? []),
            limit: BATCH_REFERENCES_MAX,
          })
        : null,
    notices: [
      ...pluginNoticesOf(planned, plugins),
      ...(await noticesOf(
        db,
        planned.map(({ scope, bundle, plan }) => ({
          scope,
          plan,
          ...((body.action === 'INSTALL' || body.action === 'UPGRADE') && {
            target: { bundle, version: body.input.targetVersion },
          }),
        })),
      )),
    ],
    items: planned.map(
      ({ target, scope, bundle, title, installation, part, plan, changes, failure, refusals }) => ({
        target,
        scope,
        bundle,
        installation: installation === null ? null : identityOf(installation),
        title,
        currentVersion: installation?.version ?? null,
        claim: installation === null ? null : claimOf(installation),
        ...(waves.has(target) && { wave: waves.get(target) }),
        changes: changes.length,
        values: changes.filter(isSetBy(body, target)).map(shortened),
        resources: plan?.resources.length ?? 0,
        failure,
        plugins: plan?.plugins.map(({ pluginId }) => pluginId) ?? [],
        unchecked: uncheckedIn(part),
        problems: refusals.flatMap(problemsOf),
      }),
    ),
  }
}

/** The plugins that the operation of a target would call without the report that its environment asks for. */
const uncheckedIn = (
  part: PlannedTarget['part'],
): Answer<'POST /batches/plan'>['items'][number]['unchecked'] =>
  (part?.plan?.plugins ?? []).flatMap(({ pluginId }) => {
    const found = part?.unchecked.get(pluginId)
    return found === undefined ? [] : [{ pluginId, ...found }]
  })
