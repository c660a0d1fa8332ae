import { useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../api/session.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { retryExit, takeoverExit } from './exits.ts'
import { RetryDialog } from './RetryDialog.tsx'
import { TakeoverDialog } from './TakeoverDialog.tsx'
import { nextCalls, type Timeline } from './timeline.ts'

/** The two ways out of a failed operation; one that is closed says why, and who could go it. */
export function WaysOut({
  operation,
  timeline,
  layout,
}: {
  operation: OperationDetail
  timeline: Timeline
  /** `explained` stands beside a failure; `bar` in the head of the page. */
  layout: 'explained' | 'bar'
}) {
  const t = useText()
  const retry = retryExit(operation, useMay('operation:retry', operation.installation))
  const takeover = takeoverExit(operation, useMay('operation:takeover', operation.installation))
  // the run that the person saw when they began: the runtime refuses when it is another one by then
  const [open, setOpen] = useState<{ dialog: 'retry' | 'takeover'; seen: OperationDetail } | null>(null)
  const close = () => setOpen(null)
  const plugins = nextCalls(timeline, operation).map(({ pluginId }) => pluginId)

  const buttons = {
    retry: (
      <Button
        icon="retry"
        variant={layout === 'explained' && operation.failure?.retryable === true ? 'primary' : 'secondary'}
        disabledReason={retry.isOpen ? null : t(retry.why)}
        onClick={() => setOpen({ dialog: 'retry', seen: operation })}
      >
        {t('operations.exit.retry')}
      </Button>
    ),
    takeover: (
      <Button
        icon="takenOver"
        variant="dangerQuiet"
        disabledReason={takeover.isOpen ? null : t(takeover.why)}
        onClick={() => setOpen({ dialog: 'takeover', seen: operation })}
      >
        {t('operations.exit.takeover')}
      </Button>
    ),
  }
  return (
    <>
      {layout === 'bar' ? (
        <>
          {buttons.retry}
          {buttons.takeover}
        </>
      ) : (
        <div className="space-y-4">
          <h3 className="text-xs font-medium text-muted">{t('operations.exit.title')}</h3>
          <div>
            {buttons.retry}
            <p className="mt-1.5 text-xs text-muted">
              {!retry.isOpen
                ? t(retry.why)
                : plugins.length > 0
                  ? t('operations.exit.retry.says', { plugins: plugins.join(', ') })
                  : t('operations.exit.retry.saysRuntime', {
                      phase: t(`vocabulary.phase.${operation.phase}`),
                    })}
              {retry.isOpen && operation.failure?.retryable === false && (
                <> {t('operations.exit.retry.mendFirst')}</>
              )}
            </p>
          </div>
          <div>
            {buttons.takeover}
            <p className="mt-1.5 text-xs text-muted">
              {takeover.isOpen ? t('operations.exit.takeover.says') : t(takeover.why)}
            </p>
          </div>
          <p className="text-xs text-faint">{t('operations.failed.claim')}</p>
        </div>
      )}
      {open?.dialog === 'retry' && <RetryDialog operation={open.seen} timeline={timeline} onClose={close} />}
      {open?.dialog === 'takeover' && (
        <TakeoverDialog operation={open.seen} timeline={timeline} onClose={close} />
      )}
    </>
  )
}
