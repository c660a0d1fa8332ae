import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { operationCall } from '#contract/console-api/pages/operations.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { ScopeText } from '../../components/ScopeText.tsx'
import { labelled } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Id } from '../../ui/Id.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton, SkeletonLines } from '../../ui/Skeleton.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { InstallAgain } from './story/InstallAgain.tsx'
import { ShareMenu } from './story/ShareMenu.tsx'
import { Story } from './story/Story.tsx'
import { timelineOf } from './story/timeline.ts'
import { WayOutDialog, type ChosenWayOut } from './story/WayOutDialog.tsx'
import { WaysOut, type WayOut } from './story/WaysOut.tsx'

const route = getRouteApi('/operations/$id')

export function OperationPage() {
  const t = useText()
  const { id } = route.useParams()
  const choice = route.useSearch()
  const query = useQuery(apiQuery('GET /operations/{operationId}', operationCall(id)))
  const error = useErrorView(query.error)
  const [chosen, setChosen] = useState<ChosenWayOut | null>(null)
  const trail = [{ label: t('operations.title'), to: paths.operations() }]
  if (!query.data) {
    return (
      <Page title={t('operations.field.operation')} trail={trail} meta={<Id id={id} full />}>
        {error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <StorySkeleton />
        )}
      </Page>
    )
  }
  const operation = query.data
  const choose = (way: WayOut) => setChosen({ way, seen: operation })
  const name = t('operations.name', {
    type: t(`vocabulary.type.${operation.operationType}`),
    bundle: operation.installation.bundle.bundleId,
  })
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <OperationBadge state={operation.state} look="pill" className="text-sm" />
        </span>
      }
      trail={trail}
      meta={
        <>
          <ScopeText scope={operation.installation} />
          <Time at={operation.createdAt} />
          <Id id={operation.operationId} copy />
        </>
      }
      actions={<Actions operation={operation} onWayOut={choose} />}
      notice={
        error && (
          <Notice tone="warn" title={error.title}>
            {error.message}
          </Notice>
        )
      }
    >
      <p role="status" className="sr-only">
        {labelled(t, name, t(`vocabulary.operation.${operation.state}`))}
      </p>
      <Story operation={operation} choice={choice} onWayOut={choose} />
      <WayOutDialog chosen={chosen} operation={operation} onClose={() => setChosen(null)} />
    </Page>
  )
}

/** A failed operation has its ways out beside the failure; while it is on its way they stand here and say why not yet. */
function Actions({ operation, onWayOut }: { operation: OperationDetail; onWayOut: (way: WayOut) => void }) {
  const isOnItsWay =
    operation.state === 'PENDING' || operation.state === 'RUNNING' || operation.state === 'WAITING'
  return (
    <>
      {isOnItsWay && (
        <WaysOut operation={operation} timeline={timelineOf(operation)} layout="bar" onChoose={onWayOut} />
      )}
      <InstallAgain operation={operation} />
      <ShareMenu operation={operation} />
    </>
  )
}

function StorySkeleton() {
  return (
    <div className="space-y-6">
      <Skeleton className="h-32 rounded-lg" />
      <SkeletonLines lines={4} />
      <Skeleton className="h-72 rounded-lg" />
    </div>
  )
}
