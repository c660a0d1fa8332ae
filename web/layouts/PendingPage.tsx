import type { UseQueryResult } from '@tanstack/react-query'
import { Page, type Crumb } from './Page.tsx'
import { LinkButton } from '../ui/Link.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Skeleton, SkeletonLines } from '../ui/Skeleton.tsx'
import { namesNothing, useErrorView } from '../i18n/describe-code.ts'

/** A detail page that is loading or failed to load. */
export function PendingPage({
  id,
  trail,
  query,
}: {
  /** The title until the name is loaded. */
  id: string
  trail: readonly Crumb[]
  query: UseQueryResult
}) {
  const error = useErrorView(query.error)
  const list = trail.at(-1)
  return (
    <Page title={id} heading={error ? id : <Skeleton className="h-7 w-56" />} trail={trail}>
      {error ? (
        <ErrorState
          error={error}
          retrying={query.isFetching}
          onRetry={namesNothing(error) ? undefined : () => void query.refetch()}
          actions={
            namesNothing(error) &&
            list?.to !== undefined && (
              <LinkButton to={list.to} size="sm">
                {list.label}
              </LinkButton>
            )
          }
        />
      ) : (
        <div className="space-y-6">
          <Card>
            <SkeletonLines lines={2} />
          </Card>
          <Card>
            <SkeletonLines lines={8} />
          </Card>
        </div>
      )}
    </Page>
  )
}
