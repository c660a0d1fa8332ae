import type { Failure, PlannedStage } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { CallOutcome } from '../../../../ui/states.ts'
import { rowsOf, type CallTimeline } from '../calls/timeline.ts'
import type { Verdict } from '../calls/verdict.ts'

export interface PlannedPlugin {
  pluginId: string
  order: number
  availability: PlannedStage['calls'][number]['availability']
  /** The stages in which it is called. */
  stages: Stage[]
  /** The result of its last call in the operation that is taken over, in either stage. */
  last: CallOutcome | Verdict
  /** The failure of its last attempt there; null if it has none. */
  failure: Failure | null
}

/** The plugins of a plan, each once, in the order of their first calls. */
export function plannedPlugins(planned: readonly PlannedStage[], timeline: CallTimeline): PlannedPlugin[] {
  const plugins = new Map<string, PlannedPlugin>()
  for (const { stage, calls } of planned) {
    for (const { pluginId, order, availability } of calls) {
      const known = plugins.get(pluginId)
      if (known) known.stages.push(stage)
      else
        plugins.set(pluginId, {
          pluginId,
          order,
          availability,
          stages: [stage],
          ...lastResultOf(pluginId, timeline),
        })
    }
  }
  return [...plugins.values()]
}

function lastResultOf(pluginId: string, timeline: CallTimeline): Pick<PlannedPlugin, 'last' | 'failure'> {
  const rows = rowsOf(timeline).flatMap(({ row }) => (row.pluginId === pluginId ? [row] : []))
  const row = rows.findLast(({ bars }) => bars.length > 0)
  const attempt = row?.bars.findLast((bar) => !bar.attempt.late)?.attempt
  return { last: row?.result ?? 'NOT_CALLED', failure: attempt?.failure ?? null }
}
