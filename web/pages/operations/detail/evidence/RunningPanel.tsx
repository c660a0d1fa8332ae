import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { useNow } from '../../../../ui/use-now.ts'
import { rowsOf, type CallTimeline } from '../calls/timeline.ts'
import { pausedText, usePauses } from '../../../../subjects/gate/use-pauses.ts'
import { impactText } from '../failure/failure-texts.ts'
import { UnfinishedNextStep } from './Evidence.tsx'

/** Most operations end before this; a panel that comes and goes would only move the page. */
const SHOWN_AFTER_MS = 3_000

/**
 * Shown when an operation has been queued or running for a while: where it is, until when, and who acts next. One that is
 * paused makes no calls, however long it takes, so it also says what that means for the installation.
 */
export function RunningPanel({
  operation,
  timeline,
}: {
  operation: OperationDetail
  timeline: CallTimeline
}) {
  const t = useText()
  const rich = useRichText()
  const now = useNow(1000)
  const { state, phase, runStartedAt, createdAt, stages, plugins, nextStep } = operation
  const isPaused = nextStep.action === 'RESUME'
  const pauses = usePauses(operation)
  if (now - Date.parse(runStartedAt ?? createdAt) < SHOWN_AFTER_MS) return null
  const current = rowsOf(timeline).find(({ row }) => row.result === 'IN_FLIGHT')
  const bar = current?.row.bars.at(-1)
  const call = stages
    .find(({ stage }) => stage === current?.stage)
    ?.calls.find(({ pluginId }) => pluginId === current?.row.pluginId)
  const held = pauses.flatMap(({ of }) => (of.kind === 'PLUGIN' ? [of.pluginId] : []))
  const pluginId = current?.row.pluginId ?? held[0]
  const limits = plugins.find(({ pluginId }) => pluginId === current?.row.pluginId)
  const doing = isPaused ? 'paused' : state === 'PENDING' ? 'PENDING' : 'RUNNING'
  const title = t(`operations.running.title.${doing}`)
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-2 text-lg font-semibold tracking-tight">{title}</h2>
      <DefinitionList
        items={[
          isPaused && { label: t('operations.failed.impact'), value: impactText(operation, t) },
          state === 'RUNNING' && {
            label: t('operations.failed.place'),
            value: pluginId
              ? rich('operations.failed.where', {
                  plugin: <PluginLink pluginId={pluginId} className="font-semibold" />,
                  stage: (
                    <span className="font-semibold">{t(`vocabulary.phase.${current?.stage ?? phase}`)}</span>
                  ),
                })
              : t(`vocabulary.phase.${phase}`),
          },
          {
            label: t('operations.failed.now'),
            value:
              bar && call && limits
                ? rich(
                    `operations.running.now.${call.runAttempts < limits.maxAttempts ? 'call' : 'lastCall'}`,
                    {
                      time: <Time at={bar.attempt.startedAt} />,
                      seconds: limits.timeoutMs / 1000,
                      attempt: call.runAttempts,
                      allowed: limits.maxAttempts,
                    },
                  )
                : t(`operations.running.now.${doing}`, { what: pausedText(pauses, t) }),
          },
          { label: t('common.nextStep'), value: <UnfinishedNextStep operation={operation} /> },
        ]}
      />
    </section>
  )
}
