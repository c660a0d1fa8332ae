import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { operationCall } from '#contract/console-api/pages/operations.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { InDoubtBadge, InDoubtNotice } from '../../subjects/operations/InDoubt.tsx'
import { PauseAction, PausedBadge, Pauses } from '../../subjects/gate/Pauses.tsx'
import { usePauses } from '../../subjects/gate/use-pauses.ts'
import { bundleNameOf, operationName } from '../../subjects/operations/operation-texts.ts'
import { apiQuery } from '../../api/query.ts'
import { useSession } from '../../api/session.ts'
import { namesNothing, useErrorView } from '../../i18n/describe-code.ts'
import { resumeTakeover } from '../../subjects/sign-in/interrupted-action.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { joinClauses, labelled } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { isSuccess } from './detail/calls/verdict.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Id } from '../../ui/Id.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton, SkeletonLines } from '../../ui/Skeleton.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { currentToasts, dismissTopic, subscribeToToasts } from '../../ui/toast.ts'
import { retryTopic, type RecoveryAction } from './detail/recovery/recovery.ts'
import { TakeOperation } from './detail/notes/Assignment.tsx'
import { InstallAgain, RecoveryActions } from './detail/recovery/RecoveryActions.tsx'
import { ShareMenu } from './detail/share/ShareMenu.tsx'
import { OperationDetails } from './detail/OperationDetails.tsx'
import { FollowButton } from '../../subjects/inbox/FollowButton.tsx'
import { TellWhenOver } from '../../subjects/alerts/TellWhenOver.tsx'
import { timelineOf } from './detail/calls/timeline.ts'
import type { ChosenRecovery } from './detail/recovery/RecoveryDialog.tsx'

const RecoveryDialog = lazyPart(
  async () => (await import('./detail/recovery/RecoveryDialog.tsx')).RecoveryDialog,
)

const route = getRouteApi('/operations/$id')

export function OperationPage() {
  const t = useText()
  const { id } = route.useParams()
  const choice = route.useSearch()
  const query = useQuery(apiQuery('GET /operations/{operationId}', operationCall(id)))
  const error = useErrorView(query.error)
  const [chosen, setChosen] = useState<ChosenRecovery | null>(null)
  const pauses = usePauses(query.data)
  useRetryToast(query.data)
  useInterruptedTakeover(query.data, setChosen)
  const trail = [{ label: t('operations.title'), to: paths.operations() }]
  if (!query.data) {
    return (
      <Page title={t('operations.field.operation')} trail={trail} meta={<Id id={id} full />}>
        {error ? (
          <ErrorState
            error={error}
            retrying={query.isFetching}
            // a retry would not find it either
            onRetry={namesNothing(error) ? undefined : () => void query.refetch()}
            actions={
              namesNothing(error) && (
                <LinkButton to={paths.operations()} size="sm" icon="operations">
                  {t('operations.detail.toList')}
                </LinkButton>
              )
            }
          />
        ) : (
          <DetailsSkeleton />
        )}
      </Page>
    )
  }
  const operation = query.data
  const isPaused = pauses.some(({ of }) => of.kind === 'OPERATION')
  const choose = (action: RecoveryAction) => setChosen({ action, seen: operation, reason: '' })
  const name = operationName(operation, t)
  return (
    <Page
      title={name}
      environment={operation.installation.environmentKey}
      state={
        <>
          <OperationBadge state={operation.state} look="pill" />
          <InDoubtBadge operation={operation} look="pill" />
          <PausedBadge operation={operation} look="pill" />
        </>
      }
      trail={trail}
      meta={
        <>
          <ScopeText scope={operation.installation} />
          <Time at={operation.createdAt} />
          <Id id={operation.operationId} copy />
          {/* one in progress has a button for its end, and nothing more happens to one that is over */}
          {operation.state === 'FAILED' && (
            <FollowButton subject={{ kind: 'operation', operationId: operation.operationId }} />
          )}
        </>
      }
      actions={<Actions operation={operation} isPaused={isPaused} onRecover={choose} />}
      notice={
        <>
          {error && (
            <Notice tone="warn" title={error.title}>
              {error.message}
            </Notice>
          )}
          <InDoubtNotice operation={operation} />
          <Pauses pauses={pauses} />
        </>
      }
    >
      <p role="status" className="sr-only">
        {labelled(t, name, standingText(operation, t))}
      </p>
      <OperationDetails operation={operation} choice={choice} onRecover={choose} />
      {chosen && (
        <Suspense>
          <RecoveryDialog chosen={chosen} operation={operation} onClose={() => setChosen(null)} />
        </Suspense>
      )}
    </Page>
  )
}

/** What a screen reader announces when it changes: the state, the stage, and how many calls have succeeded. */
function standingText({ state, phase, stages }: OperationDetail, t: Translate): string {
  const calls = stages.flatMap((stage) => stage.calls)
  const done = calls.filter(({ outcome }) => outcome !== null && isSuccess(outcome)).length
  return joinClauses(t, [
    t(`vocabulary.operation.${state}`),
    phase !== 'DONE' && t(`vocabulary.phase.${phase}`),
    calls.length > 0 && t('operations.announce.calls', { done, total: calls.length }),
  ])
}

/** Opens the takeover that the person left to sign in again. It is disarmed if the operation has moved meanwhile. */
function useInterruptedTakeover(
  operation: OperationDetail | undefined,
  onResume: (chosen: ChosenRecovery) => void,
) {
  const personId = useSession().data?.user.id
  useEffect(() => {
    if (operation === undefined || personId === undefined) return
    const resumed = resumeTakeover(personId, operation.operationId)
    if (resumed === null) return
    const { run, reason } = resumed
    onResume({ action: 'takeover', seen: { ...operation, run, state: 'FAILED' }, reason })
  }, [operation, personId, onResume])
}

/** Dismisses the toast "Retry started" when the result of that run is on the page. */
function useRetryToast(operation: OperationDetail | undefined) {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const topic = operation?.finishedAt ? retryTopic(operation.operationId, operation.run) : null
  const outdated = topic !== null && toasts.some((toast) => toast.topic === topic) ? topic : null
  useEffect(() => {
    if (outdated !== null) dismissTopic(outdated)
  }, [outdated])
}

/**
 * The actions in the page header. While the operation is in progress, they include the disabled recovery actions, with the
 * reason; after it has failed, those are shown beside the failure.
 */
function Actions({
  operation,
  isPaused,
  onRecover,
}: {
  operation: OperationDetail
  isPaused: boolean
  onRecover: (action: RecoveryAction) => void
}) {
  const { environmentKey, applicationRuntimeId, workspaceId } = operation.installation
  const isInProgress =
    operation.state === 'PENDING' || operation.state === 'RUNNING' || operation.state === 'WAITING'
  return (
    <>
      {isInProgress && <TellWhenOver kind="operation" id={operation.operationId} />}
      {isInProgress && !isPaused && (
        <PauseAction
          of={{
            kind: 'OPERATION',
            operationId: operation.operationId,
            operationType: operation.operationType,
            title: bundleNameOf(operation),
            scope: { environmentKey, applicationRuntimeId, workspaceId },
          }}
          isPaused={false}
        />
      )}
      {isInProgress && (
        <RecoveryActions
          operation={operation}
          timeline={timelineOf(operation)}
          layout="bar"
          onChoose={onRecover}
        />
      )}
      {/* where the panel of the failure is below the first screen */}
      {operation.state === 'FAILED' && (
        <span className="contents sm:hidden">
          <RecoveryActions
            operation={operation}
            timeline={timelineOf(operation)}
            layout="retry"
            onChoose={onRecover}
          />
          <TakeOperation operation={operation} />
        </span>
      )}
      {operation.state === 'SUCCEEDED' && <InstallAgain operation={operation} />}
      <ShareMenu operation={operation} />
    </>
  )
}

function DetailsSkeleton() {
  return (
    <div className="space-y-6">
      <Skeleton className="h-32 rounded-lg" />
      <SkeletonLines lines={4} />
      <Skeleton className="h-72 rounded-lg" />
    </div>
  )
}
