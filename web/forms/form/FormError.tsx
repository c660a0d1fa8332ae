import type { ReactNode } from 'react'
import { LocatorText } from '../../components/LocatorText.tsx'
import { useErrorView } from '../../components/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { placedError } from '../property/translate-error.ts'
import type { Detail, SubmitError } from './server-errors.ts'

/** The one place for an error that belongs to no field: what was refused or lost, what to do next, and what a ticket needs. */
export function FormError({ error, actions }: { error: SubmitError | null; actions?: ReactNode }) {
  const view = useErrorView(error?.error)
  if (error === null || view === null || error.isAtFields) return null
  return (
    <>
      <ErrorState error={view} actions={actions} />
      {error.unplaced.length > 0 && <Unplaced details={error.unplaced} />}
    </>
  )
}

/** What is wrong with values that have no field, each with its place in what was sent. */
function Unplaced({ details }: { details: readonly Detail[] }) {
  const t = useText()
  const title = t('common.form.problems', { n: details.length })
  return (
    <section aria-label={title}>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {details.map(({ locator, property, path, ...message }, index) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- two may say the same of the same place
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
