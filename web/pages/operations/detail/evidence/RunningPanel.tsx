import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { NextStepText } from '../../../../subjects/operations/NextStepText.tsx'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { useNow } from '../../../../ui/use-now.ts'
import { rowsOf, type CallTimeline } from '../calls/timeline.ts'

/** Most operations end before this; a panel that comes and goes would only move the page. */
const SHOWN_AFTER_MS = 3_000

/** Shown when an operation has been queued or running for a while: where it is, until when, and who acts next. */
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
  if (now - Date.parse(runStartedAt ?? createdAt) < SHOWN_AFTER_MS) return null
  const current = rowsOf(timeline).find(({ row }) => row.result === 'IN_FLIGHT')
  const bar = current?.row.bars.at(-1)
  const call = stages
    .find(({ stage }) => stage === current?.stage)
    ?.calls.find(({ pluginId }) => pluginId === current?.row.pluginId)
  const limits = plugins.find(({ pluginId }) => pluginId === current?.row.pluginId)
  const title = t(
    state === 'PENDING' ? 'operations.running.title.PENDING' : 'operations.running.title.RUNNING',
  )
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-2 text-lg font-semibold tracking-tight">{title}</h2>
      <DefinitionList
        items={[
          state === 'RUNNING' && {
            label: t('operations.failed.place'),
            value: current
              ? rich('operations.failed.where', {
                  plugin: <PluginLink pluginId={current.row.pluginId} className="font-semibold" />,
                  stage: <span className="font-semibold">{t(`vocabulary.phase.${current.stage}`)}</span>,
                })
              : t(`vocabulary.phase.${phase}`),
          },
          {
            label: t('operations.failed.now'),
            value:
              bar && call && limits
                ? rich('operations.running.now.call', {
                    time: <Time at={bar.attempt.startedAt} />,
                    seconds: limits.timeoutMs / 1000,
                    attempt: call.runAttempts,
                    allowed: limits.maxAttempts,
                  })
                : t(
                    state === 'PENDING' ? 'operations.running.now.PENDING' : 'operations.running.now.RUNNING',
                  ),
          },
          { label: t('common.nextStep'), value: <NextStepText nextStep={nextStep} /> },
        ]}
      />
    </section>
  )
}
