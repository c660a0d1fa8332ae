import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo, useState } from 'react'
import type { OperationDetail, Failure } from '#contract/console-api/shapes.ts'
import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import { OperationTroubles } from '../../../subjects/troubles/Troubles.tsx'
import { LabelledNextStep } from '../../../subjects/operations/NextStepText.tsx'
import { OperationLink } from '../../../subjects/operations/OperationLink.tsx'
import { apiQuery } from '../../../api/query.ts'
import { lazyPart } from '../../../base/lazy-part.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { useAsOf } from '../../../ui/as-of.ts'
import { Card } from '../../../ui/Card.tsx'
import { cx } from '../../../ui/class-names.ts'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useIsOpening } from '../../../ui/opening.ts'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { Assignment } from './notes/Assignment.tsx'
import { AttemptPanel } from './evidence/AttemptPanel.tsx'
import { WaitingPanel } from './evidence/Evidence.tsx'
import { OperationSummary } from './OperationSummary.tsx'
import { CompareButton } from './comparison/CompareButton.tsx'
import { FailurePanel } from './failure/FailurePanel.tsx'
import { WhatChanged } from './failure/OperationContext.tsx'
import { History } from './history/History.tsx'
import { PlannedProperties, PlannedResources } from './PlannedChanges.tsx'
import { useChosenAttempts, type Loading } from './calls/chosen-attempts.ts'
import { chosenBar, timelineOf } from './calls/timeline.ts'
import { InstallAgain, RecoveryActions } from './recovery/RecoveryActions.tsx'
import type { RecoveryAction } from './recovery/recovery.ts'
import { messageText } from '../../../i18n/message-text.ts'
import { Time } from '../../../ui/Time.tsx'
import { effectUnknownText } from './failure/failure-texts.ts'
import { failureTitle } from '../../../subjects/operations/describe-failure.ts'

/** Most operations end before it is shown. */
const RunningPanel = lazyPart(async () => (await import('./evidence/RunningPanel.tsx')).RunningPanel)

/** Up to this many changes stand before the history. */
const SHORT = 6

/** The operation from top to bottom: its problem, the facts, a few changes, the timeline with one attempt, more changes. */
export function OperationDetails({
  operation: answer,
  choice,
  onRecover,
}: {
  operation: OperationDetail
  choice: OperationSearch
  onRecover: (action: RecoveryAction) => void
}) {
  const t = useText()
  const { operation, loading } = useChosenAttempts(answer, choice)
  const timeline = useMemo(() => timelineOf(operation), [operation])
  // a press may come before the attempt is loaded, and again without a change of the address
  const [isAttemptWanted, setAttemptWanted] = useState(() => location.hash === '#attempt')
  const onAttemptShown = useCallback(() => setAttemptWanted(false), [])
  const bar = loading ? null : chosenBar(timeline, operation, choice)
  const call =
    bar &&
    operation.stages
      .find(({ stage }) => stage === bar.stage)
      ?.calls.find(({ pluginId }) => pluginId === bar.pluginId)
  // what it is about comes first, unless it would push the history off the screen
  const isShort = operation.changes.length > 0 && operation.changes.length <= SHORT
  // a failure fills the window
  const isRestLater = useIsOpening() && operation.failure !== null
  const isBeside = choice.view === undefined && (bar !== null || loading !== null)
  return (
    <div className="space-y-6">
      <OperationTroubles operation={operation} />
      {operation.state === 'TAKEN_OVER' && <TakenOver operation={operation} />}
      {operation.takesOver !== null && operation.state === 'SUCCEEDED' && (
        <Notice icon="takenOver">{t('operations.failed.takenOver.again')}</Notice>
      )}
      <RetryResult operation={operation} />
      <EffectUnknown operation={operation} />
      {operation.failure && (
        <FailurePanel
          operation={operation}
          timeline={timeline}
          failure={operation.failure}
          view={choice.view}
          onShowAttempt={() => setAttemptWanted(true)}
        >
          {operation.state === 'FAILED' ? (
            <RecoveryActions
              operation={operation}
              timeline={timeline}
              layout="explained"
              onChoose={onRecover}
            />
          ) : undefined}
        </FailurePanel>
      )}
      {(operation.state === 'PENDING' || operation.state === 'RUNNING') && (
        <Suspense>
          <RunningPanel operation={operation} timeline={timeline} />
        </Suspense>
      )}
      {operation.state === 'WAITING' && (
        <>
          <WaitingPanel operation={operation} timeline={timeline} onStop={() => onRecover('stop')} />
          <Card>
            <WhatChanged operation={operation} />
            <div className="mt-3">
              <CompareButton operation={operation} />
            </div>
          </Card>
        </>
      )}
      {!isRestLater && (
        <>
          <Assignment operation={operation} />
          <Card>
            <OperationSummary operation={operation} />
          </Card>
          {isShort && <PlannedProperties operation={operation} />}
          {operation.attemptsRemoved && (
            <Notice icon="clock">{t('operations.detail.attemptsRemoved')}</Notice>
          )}
          <div
            className={cx(
              'grid grid-cols-1 gap-6',
              isBeside && 'xl:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)] xl:items-start',
            )}
          >
            <History operation={operation} timeline={timeline} chosen={bar} choice={choice} />
            {/* beside the timeline it scrolls on its own, because a timeline may be longer than the window */}
            <div
              className={cx(
                isBeside &&
                  'xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:overflow-y-auto xl:fade-below',
              )}
            >
              {loading && <LoadingAttempt loading={loading} />}
              {bar && call && (
                <AttemptPanel
                  operation={operation}
                  call={call}
                  bar={bar}
                  view={choice.view}
                  isWanted={isAttemptWanted}
                  onShown={onAttemptShown}
                />
              )}
            </div>
          </div>
          <PlannedResources operation={operation} />
          {!isShort && <PlannedProperties operation={operation} />}
        </>
      )}
    </div>
  )
}

function LoadingAttempt({ loading: { error, isFetching, retry } }: { loading: Loading }) {
  return (
    <Card>
      {error ? (
        <ErrorState error={error} retrying={isFetching} onRetry={retry} />
      ) : (
        <SkeletonLines lines={6} />
      )}
    </Card>
  )
}

function TakenOver({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const isStored = useAsOf() !== null
  const { data: detach } = useQuery({
    ...apiQuery('GET /operations/{operationId}', { params: { operationId: operation.takenOverBy ?? '' } }),
    enabled: !isStored,
  })
  if (operation.takenOverBy === null) return null
  return (
    <Notice icon="takenOver" actions={!isStored && <InstallAgain operation={operation} />}>
      {rich('operations.failed.takenOver', { link: <OperationLink id={operation.takenOverBy} /> })}
      {/* nothing is left to do here, but perhaps there */}
      {detach && detach.nextStep.actor !== 'NOBODY' && <LabelledNextStep nextStep={detach.nextStep} />}
      {operation.takeover && (
        <p className="mt-1">
          {t('operations.failed.takenOver.by', {
            person: operation.takeover.by.name,
            reason: operation.takeover.reason ?? t('operations.field.noReason'),
          })}
        </p>
      )}
      {!isStored && <p className="mt-1">{t('operations.failed.takenOver.again')}</p>}
    </Notice>
  )
}

/** Retired plugins, in whose place the platform answered, may have acted in an earlier call. */
function EffectUnknown({ operation }: { operation: OperationDetail }) {
  const text = effectUnknownText(operation, useText())
  return text === null ? null : <Notice tone="warn">{text}</Notice>
}

/** What the last retry changed: success, the same failure again, or another one. */
function RetryResult({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const { failure, finishedAt, state } = operation
  const retry = operation.retries.at(-1)
  if (retry === undefined || finishedAt === null || (state !== 'SUCCEEDED' && state !== 'FAILED')) return null
  const isSame = failure !== null && retry.failure !== null && isSameFailure(failure, retry.failure)
  return (
    <Notice tone={state === 'SUCCEEDED' ? 'ok' : 'warn'} live>
      {rich(state === 'SUCCEEDED' ? 'operations.retried.succeeded' : 'operations.retried.failed', {
        time: <Time at={finishedAt} exact className="max-sm:whitespace-normal" />,
        person: retry.startedBy.name,
      })}{' '}
      {state === 'FAILED' &&
        retry.failure !== null &&
        (isSame
          ? t('operations.retried.same')
          : t('operations.retried.other', { failure: failureTitle(retry.failure, t) }))}
      {/* on a separate line: what a person typed need not end like a sentence */}
      {retry.reason !== null && <p>{t('operations.retried.reason', { reason: retry.reason })}</p>}
    </Notice>
  )
}

/** The message without its numbers and what contains them: a time or an ID makes it no other failure. */
const shapeOf = (failure: Failure): string =>
  messageText(failure).replaceAll(/[\p{L}\p{N}_]*\p{N}[\p{L}\p{N}_]*/gu, '#')

function isSameFailure(one: Failure, other: Failure): boolean {
  return one.errorCode === other.errorCode && shapeOf(one) === shapeOf(other)
}
