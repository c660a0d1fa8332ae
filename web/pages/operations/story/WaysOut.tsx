import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../api/session.ts'
import { joinList, joinSentences } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { retryExit, takeoverExit } from './exits.ts'
import { nextCalls, type Timeline } from './timeline.ts'

export type WayOut = 'retry' | 'takeover'

/** The two ways out of a failed operation; one that is closed says why, and who could go it. */
export function WaysOut({
  operation,
  timeline,
  layout,
  onChoose,
}: {
  operation: OperationDetail
  timeline: Timeline
  /** `explained` stands beside a failure; `bar` in the head of the page. */
  layout: 'explained' | 'bar'
  onChoose: (way: WayOut) => void
}) {
  const t = useText()
  const retry = retryExit(operation, useMay('operation:retry', operation.installation))
  const takeover = takeoverExit(operation, useMay('operation:takeover', operation.installation))
  const plugins = nextCalls(timeline, operation).map(({ pluginId }) => pluginId)
  const canHelp = operation.failure?.retryable === true

  const retryButton = (
    <Button
      icon="retry"
      variant={layout === 'explained' && canHelp ? 'primary' : 'secondary'}
      disabledReason={retry.isOpen ? null : t(retry.why)}
      onClick={() => onChoose('retry')}
    >
      {t('operations.action.retry')}
    </Button>
  )
  const takeoverButton = (
    <Button
      icon="takenOver"
      variant="dangerQuiet"
      disabledReason={takeover.isOpen ? null : t(takeover.why)}
      onClick={() => onChoose('takeover')}
    >
      {t('operations.action.takeover')}
    </Button>
  )
  if (layout === 'bar') {
    return (
      <>
        {retryButton}
        {takeoverButton}
      </>
    )
  }
  const begins =
    plugins.length > 0
      ? t('operations.action.retry.about', { plugins: joinList(t, plugins) })
      : t('operations.action.retry.aboutRuntime', { stage: t(`vocabulary.phase.${operation.phase}`) })
  return (
    <div className="space-y-4">
      <h3 className="text-xs font-medium text-muted">{t('operations.action.title')}</h3>
      <div>
        {retryButton}
        <p className="mt-1.5 text-xs text-muted">
          {retry.isOpen
            ? joinSentences(t, [begins, !canHelp && t('operations.action.retry.fixFirst')])
            : t(retry.why)}
        </p>
      </div>
      <div>
        {takeoverButton}
        <p className="mt-1.5 text-xs text-muted">
          {takeover.isOpen ? t('operations.action.takeover.about') : t(takeover.why)}
        </p>
      </div>
      <p className="text-xs text-faint">{t('operations.failed.lock')}</p>
    </div>
  )
}
