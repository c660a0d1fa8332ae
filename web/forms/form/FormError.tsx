import { useEffect, useRef, type ReactNode } from 'react'
import { LocatorText } from '../../ui/Id.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { placedError } from '../property/translate-error.ts'
import type { Detail, SubmitError } from './server-errors.ts'
import { ApiError } from '../../api/client.ts'
import { messageText } from '../../i18n/message-text.ts'

/**
 * Shows errors that belong to no field: what went wrong, what to do next, and the details for a ticket. They come into
 * view, because they stand below the fields.
 */
export function FormError({ error, actions }: { error: SubmitError | null; actions?: ReactNode }) {
  const view = useErrorView(error?.error)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error !== null) box.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  if (error === null || view === null || error.isAtFields) return null
  return (
    <div ref={box} className="scroll-my-20 space-y-4">
      <ErrorState error={view} actions={actions} />
      {error.error.problem.code === 'PLAN_STALE' ? (
        <MovedList error={error.error} />
      ) : (
        error.unplaced.length > 0 && <Unplaced details={error.unplaced} />
      )}
    </div>
  )
}

/** Errors of values that have no field, each with its path in the request. */
function Unplaced({ details }: { details: readonly Detail[] }) {
  const t = useText()
  const title = t('common.form.problems', { n: details.length })
  return (
    <section aria-label={title}>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {details.map(({ locator, property, path, ...message }, index) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- two errors may have the same text and path
            key={index}
            className="grid gap-x-4 px-3 py-2 sm:grid-cols-[minmax(10rem,18rem)_minmax(0,1fr)]"
          >
            <span className="min-w-0">
              {locator !== undefined && <LocatorText locator={locator} />}
              <span className="mono block text-muted wrap-anywhere">
                {[property, path?.replace(/^body\.?/, '')].filter(Boolean).join(' ') ||
                  (locator === undefined && t('common.form.whole'))}
              </span>
            </span>
            <span className="wrap-anywhere">{placedError(message, t)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What has changed since the plan was made, if that is why a request was refused. */
export function MovedList({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.problem.code !== 'PLAN_STALE') return null
  return (
    <ul className="list-disc space-y-0.5 pl-5">
      {(error.problem.details ?? []).map((detail) => (
        <li key={detail.message}>{messageText(detail)}</li>
      ))}
    </ul>
  )
}
