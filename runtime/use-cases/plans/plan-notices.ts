import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { PlanNotice } from '#contract/runtime-api/plans.ts'
import type { Db } from '../../model/db.ts'
import { calledPlugins } from '../../engine/plans/planned-calls.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { readDeprecated } from '../../store/catalog/versions.ts'
import { readPausesOf } from '../../store/operations/pauses.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'

/** An operation that would be started. */
interface Planned {
  scope: Scope
  /** Null if it cannot be planned, so that nothing is held up. */
  plan: Pick<FrozenPlan, 'plugins'> | null
  /** Of an INSTALL or UPGRADE. */
  target?: { bundle: BundleRef; version: string }
}

/** What refuses none of these operations, but is worth knowing before they are approved or started; each is named once. */
export async function noticesOf(db: Db, planned: readonly Planned[]): Promise<PlanNotice[]> {
  if (planned.length === 0) return []
  const started = planned.filter(({ plan }) => plan !== null)
  const deprecated = await readDeprecated(
    db,
    planned.flatMap(({ target }) => target ?? []),
  )
  const scopes = started.map(({ scope }) => scope)
  const pauses = await readPausesOf(db, scopes, calledPlugins(started.map(({ plan }) => plan)))
  return [
    ...deprecated.map(({ bundle_id: bundle, version, message: text, by_name: person }) =>
      platformMessage('planVersionDeprecated', { bundle, version, text, person }),
    ),
    ...pauses.map(({ pluginId, scope, reason: text, paused_by_name: person }) =>
      pluginId === null
        ? platformMessage('planScopePaused', { scope: scopeText(scope), text, person })
        : platformMessage('planPluginPaused', { plugin: pluginId, text, person }),
    ),
  ]
}

/** The plugins that cannot be called. Of a batch only: each call of a single operation says so itself, in its `availability`. */
export function pluginNoticesOf(
  planned: readonly Pick<Planned, 'plan'>[],
  registered: ReadonlyMap<string, PluginState>,
): PlanNotice[] {
  return calledPlugins(planned.map(({ plan }) => plan)).flatMap((plugin) => {
    const state = registered.get(plugin)
    if (state === undefined) return platformMessage('planPluginMissing', { plugin })
    // what calls a retired one is refused, or the platform answers in its place
    return state.enabled || state.retired === true ? [] : platformMessage('planPluginDisabled', { plugin })
  })
}
