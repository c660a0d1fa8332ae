import type { PlannedStage } from '#contract/console-api/shapes.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { joinList, labelled } from '../../../../i18n/punctuation.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { Badge } from '../../../../ui/Badge.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { plannedPlugins, type PlannedPlugin } from './detach-preview.ts'
import type { Timeline } from '../calls/timeline.ts'
import { resultLook } from '../calls/verdict.ts'

/** The plugins that a takeover calls, each once, in call order: when it is called, and its last result. */
export function TakeoverCalls({ stages, timeline }: { stages: readonly PlannedStage[]; timeline: Timeline }) {
  const t = useText()
  const plugins = plannedPlugins(stages, timeline)
  if (plugins.length === 0) return <p>{t('recovery.takeover.noPlugins')}</p>
  return (
    <div>
      <p className="font-medium">{t('recovery.takeover.calls')}</p>
      <ol className="mt-1 divide-y divide-line rounded-md border border-line">
        {plugins.map((plugin) => (
          <Planned key={plugin.pluginId} plugin={plugin} />
        ))}
      </ol>
    </div>
  )
}

function Planned({
  plugin: { pluginId, order, stages, availability, last, failure },
}: {
  plugin: PlannedPlugin
}) {
  const t = useText()
  const look = resultLook(last)
  const called = stages.map((stage) => t(`vocabulary.phase.${stage}`))
  return (
    <li className="flex flex-wrap items-center gap-x-3 px-3 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="mono block font-medium wrap-anywhere">{pluginId}</span>
        <span className="block text-xs text-muted">
          {t('operations.detail.order', { order })} · {joinList(t, called)}
        </span>
        {failure && (
          <span className="block text-xs wrap-anywhere text-muted">
            {labelled(t, t('recovery.takeover.lastResponse'), messageText(failure))}
          </span>
        )}
        {availability !== 'READY' && (
          <span className="flex gap-1 text-xs text-doubt">
            <Icon name="warning" size={12} className="mt-0.5" />
            {t(`plans.availability.${availability}`)}
          </span>
        )}
      </span>
      <span className="flex items-center gap-1.5 text-xs text-faint max-sm:basis-full">
        {t('recovery.takeover.lastResult')}
        <Badge look="plain" tone={look.tone} icon={look.icon}>
          {t(look.word)}
        </Badge>
      </span>
    </li>
  )
}
