import type { ReactNode } from 'react'
import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { failureView } from '../../../components/describe-code.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { cx } from '../../../ui/class-names.ts'
import { ErrorFacts } from '../../../ui/ErrorState.tsx'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { failurePointOf, type Timeline } from './timeline.ts'
import { choiceOf } from './TimelineRow.tsx'
import { messageText } from '../../../i18n/message-text.ts'

/** Why the operation failed: what, where, and what to do, beside the actions that recover it. */
export function FailurePanel({
  operation,
  timeline,
  failure,
  children,
}: {
  operation: OperationDetail
  timeline: Timeline
  failure: Failure
  /** The actions; a past failure has none. */
  children?: ReactNode
}) {
  const t = useText()
  const view = failureView(failure)
  const isOver = operation.state !== 'FAILED'
  return (
    <section
      aria-label={t(isOver ? 'operations.failed.earlier' : 'operations.detail.failure')}
      className={cx(
        'overflow-hidden rounded-lg border bg-surface',
        isOver ? 'border-line' : 'border-fail-line',
        children !== undefined && 'lg:grid lg:grid-cols-[minmax(0,1fr)_22rem]',
      )}
    >
      <div className="flex min-w-0 gap-3 p-4">
        <Icon name="failed" className={cx('mt-1', isOver ? 'text-muted' : 'text-fail')} />
        <div className="min-w-0 flex-1 space-y-3">
          <div>
            <h2 className="text-lg font-semibold tracking-tight wrap-anywhere">
              {isOver && (
                <span className="font-normal text-muted">
                  {t('operations.failed.earlier')}
                  {t('common.punctuation.colon')}
                </span>
              )}
              {view.title}
            </h2>
            <p className="mt-0.5 max-w-[80ch] text-md wrap-anywhere">{messageText(failure)}</p>
          </div>
          <Where operation={operation} timeline={timeline} />
          {!isOver && (
            <div className="max-w-[80ch]">
              <p className="text-xs text-faint">{t('errors.remedy')}</p>
              <p>{view.remedy}</p>
            </div>
          )}
          <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xs">
            <ErrorFacts error={view} />
            <p className={isOver ? 'hidden' : 'flex gap-2'}>
              <span className="text-faint">{t('operations.field.retryable')}</span>
              {t(failure.retryable ? 'operations.field.retryable.yes' : 'operations.field.retryable.no')}
            </p>
          </div>
        </div>
      </div>
      {children !== undefined && (
        <div className="border-t border-line bg-sunken p-4 lg:border-t-0 lg:border-l">{children}</div>
      )}
    </section>
  )
}

/** The plugin, the stage and the attempt. */
function Where({ operation, timeline }: { operation: OperationDetail; timeline: Timeline }) {
  const t = useText()
  const rich = useRichText()
  const failurePoint = failurePointOf(timeline, operation)
  if (!failurePoint) {
    return <p>{t('operations.failed.runtime', { stage: t(`vocabulary.phase.${operation.phase}`) })}</p>
  }
  const { bar, pluginId, stage } = failurePoint
  const clause = t('common.punctuation.clause')
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span>
        {rich('operations.failed.where', {
          plugin: (
            <PlainLink to={paths.plugin(pluginId)} className="mono rounded-sm font-semibold hover:underline">
              {pluginId}
            </PlainLink>
          ),
          stage: <span className="font-semibold">{t(`vocabulary.phase.${stage}`)}</span>,
        })}
        {bar && `${clause}${t('operations.failed.attempt', bar.attempt)}`}
        {operation.failure?.errorCode === 'PLUGIN_NOT_REGISTERED' &&
          `${clause}${t('operations.failed.notCalled')}`}
      </span>
      {bar && (
        <TextLink to={{ ...paths.operation(operation.operationId, choiceOf(bar)), hash: 'attempt' }}>
          {t('operations.failed.jump')}
        </TextLink>
      )}
    </p>
  )
}
