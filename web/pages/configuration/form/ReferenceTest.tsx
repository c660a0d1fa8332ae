import { useQuery } from '@tanstack/react-query'
import { referencesCall } from '#contract/console-api/pages/installations.ts'
import { apiQuery } from '../../../api/query.ts'
import { ReferenceResult } from '../../../subjects/references/ReferenceResult.tsx'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'

/** The result of a test of one reference property: whether plugins can resolve it now. No token is made. */
export function ReferenceTest({
  bundleInstallId,
  locator,
  property,
  isEdited,
}: {
  bundleInstallId: string
  locator: string
  property: string
  /** The test does not include the edit. */
  isEdited: boolean
}) {
  const t = useText()
  const query = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}/references', referencesCall(bundleInstallId)),
    // a test shows the current result
    staleTime: 0,
  })
  const error = useErrorView(query.error)
  const reference = query.data?.items.find((one) => one.locator === locator && one.property === property)
  return (
    <div role="status" aria-busy={query.isFetching} className="mt-0.5">
      {query.isFetching ? (
        <p className="text-muted">{t('references.testing')}</p>
      ) : (
        <>
          {error ? (
            <p className="text-fail">{error.message}</p>
          ) : reference === undefined ? (
            <p className="text-muted">{t('references.missing')}</p>
          ) : (
            <ReferenceResult reference={reference} />
          )}
          {isEdited && <p className="text-muted">{t('references.unsaved')}</p>}
        </>
      )}
    </div>
  )
}
