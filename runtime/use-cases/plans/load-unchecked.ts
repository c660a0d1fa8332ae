import type { Db } from '../../model/db.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/unchecked-plugin.ts'
import { readUnchecked } from '../../store/plugins/reports.ts'

/** Those of a plan's plugins that lack the passing report that the environment asks for. */
export function loadUnchecked(
  db: Db,
  environmentKey: string,
  plugins: FrozenPlan['plugins'],
): Promise<UncheckedPlugins> {
  return readUnchecked(
    db,
    environmentKey,
    plugins.map(({ pluginId }) => pluginId),
  )
}
