import { useQuery } from '@tanstack/react-query'
import { installationReferrersCall } from '#contract/console-api/pages/installations.ts'
import type { Referrer } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { joinSentences } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { ScopeText } from '../scopes/ScopeText.tsx'
import { resourceText } from './PropertyPlace.tsx'

/** How many installations are named. There are no links: one would leave the dialog and lose what was typed. */
const NAMED = 5

/** The references of other installations that stop resolving when this installation is detached, by installation. */
export function BrokenReferences({ bundleInstallId }: { bundleInstallId: string }) {
  const t = useText()
  const query = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}/referrers', installationReferrersCall(bundleInstallId)),
    // what is shown before a confirmation is as new as the plan beside it
    staleTime: 0,
  })
  const error = useErrorView(query.error)
  if (query.data === undefined)
    return error === null ? (
      <SkeletonLines lines={2} />
    ) : (
      <ErrorState error={error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    )
  const others = query.data.items.filter(
    ({ installation }) => installation.bundleInstallId !== bundleInstallId,
  )
  return (
    <BrokenList
      references={others}
      isMore={query.data.nextCursor !== null}
      none={t('plans.broken.none')}
      all={t('plans.broken.all')}
    />
  )
}

/** References that stop resolving, by installation. */
export function BrokenList({
  references: others,
  isMore,
  none,
  all,
}: {
  references: readonly Referrer[]
  /** There are more than these. */
  isMore: boolean
  /** What to say if there are none. */
  none: string
  /** Where all of them are listed. */
  all: string
}) {
  const t = useText()
  if (others.length === 0) return <p className="text-muted">{none}</p>
  const byInstallation = [...Map.groupBy(others, ({ installation }) => installation.bundleInstallId).values()]
  const unnamed = byInstallation.length - NAMED
  return (
    <Notice tone="warn" title={t(isMore ? 'plans.broken.atLeast' : 'plans.broken', { n: others.length })}>
      <ul className="space-y-1">
        {byInstallation.slice(0, NAMED).map((referrers) => (
          <BrokenIn key={referrers[0]?.installation.bundleInstallId} referrers={referrers} />
        ))}
      </ul>
      <p className="mt-1 text-xs text-muted">
        {joinSentences(t, [unnamed > 0 || isMore ? all : '', t('installations.visible')])}
      </p>
    </Notice>
  )
}

function BrokenIn({ referrers }: { referrers: readonly Referrer[] }) {
  const t = useText()
  const [first] = referrers
  if (first === undefined) return null
  const { installation, installationTitle } = first
  return (
    <li>
      <span className="font-medium">{installationTitle}</span> <ScopeText scope={installation} />
      <ul className="pl-4">
        {referrers.map((referrer) => (
          <li
            key={`${referrer.locator} ${referrer.property} ${referrer.serviceId}`}
            className="wrap-anywhere"
          >
            {t('plans.broken.reference', {
              property: `${resourceText(referrer)} · ${referrer.property}`,
              service: referrer.serviceTitle,
            })}
          </li>
        ))}
      </ul>
    </li>
  )
}
