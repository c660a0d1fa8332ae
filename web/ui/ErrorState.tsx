import type { ReactNode } from 'react'
import type { ErrorView } from '../i18n/describe-code.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { cx } from './class-names.ts'
import { CopyButton } from './CopyButton.tsx'
import { Icon } from './Icon.tsx'

/**
 * An error in place of the failed content: title, message, what to do, and the details for a ticket. A page that still
 * shows earlier data uses `Notice` instead, so that nothing jumps.
 */
export function ErrorState({
  error,
  onRetry,
  retrying = false,
  actions,
  className,
}: {
  error: ErrorView
  onRetry?: (() => void) | undefined
  retrying?: boolean
  actions?: ReactNode
  className?: string | undefined
}) {
  const t = useText()
  return (
    <div role="alert" className={cx('rounded-lg border border-fail-line bg-surface', className)}>
      <div className="flex gap-3 p-4">
        <Icon name="failed" className="mt-0.5 text-fail" />
        <div className="min-w-0 flex-1">
          <p className="text-md font-semibold wrap-anywhere">{error.title}</p>
          <p className="mt-0.5 max-w-[80ch] wrap-anywhere">{error.message}</p>
          {error.remedy && <p className="mt-1 max-w-[80ch] text-muted wrap-anywhere">{error.remedy}</p>}
          {error.retryable === false && <p className="mt-1 text-muted">{t('errors.notRetryable')}</p>}
          {(onRetry || actions) && (
            <div className="mt-3 flex flex-wrap gap-2">
              {onRetry && (
                <Button size="sm" icon="retry" busy={retrying} onClick={onRetry}>
                  {t('common.retry')}
                </Button>
              )}
              {actions}
            </div>
          )}
        </div>
      </div>
      <ErrorFacts error={error} className="border-t border-line px-4 py-2" />
    </div>
  )
}

/** Error code, error path and request id: the details for a ticket. */
export function ErrorFacts({
  error,
  isWitness,
  className,
}: {
  error: ErrorView
  /** The origin of the error only found what another service caused. */
  isWitness?: boolean
  className?: string
}) {
  const t = useText()
  const { code, requestId, errorPath = [] } = error
  if (!code && !requestId && errorPath.length === 0) return null
  return (
    <dl className={cx('flex flex-wrap gap-x-6 gap-y-1 text-xs', className)}>
      {code && (
        <div className="flex min-w-0 items-center gap-2">
          <dt className="shrink-0 text-faint">{t('errors.code')}</dt>
          <dd className="mono wrap-anywhere">{code}</dd>
        </div>
      )}
      {errorPath.length > 0 && (
        <div className="flex min-w-0 items-center gap-2">
          <dt className="shrink-0 text-faint">{t('errors.trail')}</dt>
          <dd className="min-w-0">
            <ErrorTrail path={errorPath} isWitness={isWitness} />
          </dd>
        </div>
      )}
      {requestId && (
        <div className="flex min-w-0 items-center gap-2">
          <dt className="shrink-0 text-faint">{t('errors.requestId')}</dt>
          <dd className="flex min-w-0 items-center gap-0.5">
            <span className="mono wrap-anywhere">{requestId}</span>
            <CopyButton text={requestId} label={t('common.id.copy', { id: requestId })} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** The services that an error passed through, outermost first. The last one is its origin. */
export function ErrorTrail({
  path,
  isWitness = false,
}: {
  path: readonly string[]
  isWitness?: boolean | undefined
}) {
  const t = useText()
  return (
    <ol aria-label={t('errors.trail.label')} className="flex flex-wrap items-center gap-x-1 gap-y-0.5">
      {Object.entries(path).map(([position, name]) => (
        <li key={position} className="flex min-w-0 items-center gap-1">
          {position !== '0' && <Icon name="chevronRight" size={12} className="text-faint" />}
          <span
            className={cx(
              'mono wrap-anywhere',
              Number(position) === path.length - 1 && cx('font-semibold', !isWitness && 'text-fail'),
            )}
          >
            {name}
          </span>
        </li>
      ))}
    </ol>
  )
}
