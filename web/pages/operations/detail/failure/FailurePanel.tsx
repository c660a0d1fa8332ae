import { Suspense, type ReactNode } from 'react'
import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { reasonOf, shownCode } from '#contract/protocol/messages.ts'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { joinSentences } from '../../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { ClampedText } from '../../../../ui/ClampedText.tsx'
import { cx } from '../../../../ui/class-names.ts'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { ErrorFacts } from '../../../../ui/ErrorState.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { TextLink } from '../../../../ui/Link.tsx'
import { Skeleton } from '../../../../ui/Skeleton.tsx'
import { retryHelpsText, stoppedText } from '../../../../subjects/operations/describe-failure.ts'
import { OperationLink } from '../../../../subjects/operations/OperationLink.tsx'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { alsoFailed, namedChanges, progressOf } from '../calls/progress.ts'
import { choiceOf, type FailurePoint, type CallTimeline } from '../calls/timeline.ts'
import { BatchesOf } from '../../../../subjects/batch/BatchLink.tsx'
import { CompareButton } from '../comparison/CompareButton.tsx'
import { useOperationContext, ValuesRead, WhatChanged } from './OperationContext.tsx'
import { AlsoFailed, Endpoint, Headers, NamedChanges } from './RelatedFacts.tsx'
import { Differences } from './Differences.tsx'
import { Guidance } from './Guidance.tsx'
import { RefusedHere } from './RefusedHere.tsx'
import { impactText, nowText, pastText, runProgressText } from './failure-texts.ts'
import { WireNotes } from './WireNotes.tsx'
import { hasRemedy, NextStepFact, Remedy } from './NextStepFact.tsx'
import { useFailureFacts, type FailureFacts } from './use-failure-facts.ts'

/** Few failures are refused writes. */
const RefusedWriteTrace = lazyPart(async () => (await import('./RefusedWriteTrace.tsx')).RefusedWriteTrace)

interface ShownFailure {
  operation: OperationDetail
  timeline: CallTimeline
  failure: Failure
}

interface AttemptLink {
  /** The view of the history, which the link to the attempt keeps. */
  view?: OperationSearch['view'] | undefined
  /** Called when the person asks for the attempt that failed. */
  onShowAttempt?: (() => void) | undefined
}

/**
 * Why the operation failed: what happened, what to do, who acts next, where it failed and whether it still runs. The order is the
 * same for every failure. What to do comes first: a phone shows it in the first screen, below a button that retries. Below: what was
 * changed. Beside it: the actions that recover the operation.
 */
export function FailurePanel({
  operation,
  timeline,
  failure,
  view,
  onShowAttempt,
  children,
}: ShownFailure &
  AttemptLink & {
    /** The actions; a past failure has none. */
    children?: ReactNode
  }) {
  const t = useText()
  const shown = { operation, timeline, failure }
  const facts = useFailureFacts(shown)
  const { title, call, attempt, failurePoint, isOver, isStored } = facts
  return (
    <section
      aria-label={t(isOver ? 'operations.failed.earlier' : 'operations.detail.failure')}
      className={cx(
        '@container overflow-hidden rounded-lg border bg-surface',
        isOver ? 'border-line' : 'border-fail-line',
      )}
    >
      <div
        className={
          children === undefined
            ? undefined
            : '@2xl:grid @2xl:grid-cols-[minmax(0,1fr)_16rem] @5xl:grid-cols-[minmax(0,1fr)_22rem]'
        }
      >
        <div className="flex min-w-0 gap-3 p-4">
          <Icon name="failed" className={cx('mt-1 max-sm:hidden', isOver ? 'text-muted' : 'text-fail')} />
          <div className="min-w-0 flex-1 space-y-3">
            <WhatHappened facts={facts} />
            <RefusedHere failure={failure} />
            <WireNotes failure={failure} attempt={attempt} answered={facts.answered} moved={facts.moved} />
            <Answers {...shown} facts={facts} view={view} onShowAttempt={onShowAttempt} />
            <Guidance
              operation={operation}
              pluginId={call?.pluginId ?? failurePoint?.pluginId}
              failure={failure}
            />
            <Differences failurePoint={failurePoint} />
            {operation.refusedWrite && (
              <Suspense>
                <RefusedWriteTrace write={operation.refusedWrite} />
              </Suspense>
            )}
            <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xs">
              {/* the code of the last attempt: that of the whole run may only say that some result is unknown */}
              <ErrorFacts
                error={{
                  title,
                  message: facts.message,
                  code: shownCode(failure),
                  errorPath: failure.errorPath,
                }}
                isWitness={operation.nextStep.action === 'CHECK_VALUES'}
              />
              <Endpoint operation={operation} failurePoint={failurePoint} />
              <Headers wire={attempt?.wire} />
            </div>
          </div>
        </div>
        {children !== undefined && (
          <div className="border-t border-line bg-sunken p-4 @2xl:border-t-0 @2xl:border-l @2xl:bg-transparent">
            {children}
          </div>
        )}
      </div>
      {!isOver && !isStored && (
        <div className="space-y-3 border-t border-line p-4">
          {/* a plugin that says that a repetition may succeed does not mean what a retry sends */}
          {facts.isOfPlugin && !failure.retryable && <ValuesRead operation={operation} />}
          <WhatChanged operation={operation} />
          <CompareButton operation={operation} />
        </div>
      )}
    </section>
  )
}

/** The title of the failure and, if the plugin gave them, its words; what became of its effect. */
function WhatHappened({ facts }: { facts: FailureFacts }) {
  const t = useText()
  const { title, call, message, shownMessage, effect, isOfPlugin, isOver } = facts
  return (
    <div>
      <ClampedText as="h2" className="text-lg font-semibold tracking-tight wrap-anywhere">
        {isOver && (
          <span className="font-normal text-muted">
            {t('operations.failed.earlier')}
            {t('common.punctuation.colon')}
          </span>
        )}
        {title}
      </ClampedText>
      {/* on a phone, the answers are to stand in the first screen */}
      {isOfPlugin && message === title && call && (
        <p className="mt-0.5 text-xs text-muted max-sm:hidden">
          {t('operations.failed.said', { plugin: call.pluginId })}
        </p>
      )}
      <ClampedText as="p" className="mt-1 max-w-[80ch] text-md wrap-anywhere">
        {joinSentences(t, [shownMessage, effect])}
      </ClampedText>
    </div>
  )
}

/** What to do, who acts next, where it failed, and what else a person asks first. */
function Answers({
  operation,
  timeline,
  failure,
  facts,
  view,
  onShowAttempt,
}: ShownFailure & AttemptLink & { facts: FailureFacts }) {
  const t = useText()
  const { failurePoint, isOver, isStored, isUndecided } = facts
  const gate = useGate(isOver || isStored ? null : operation.installation, operation.operationType, true)
  const others = isOver ? [] : alsoFailed(operation, timeline)
  const named = isOver ? [] : namedChanges(operation)
  return (
    <DefinitionList
      items={[
        hasRemedy(operation, facts) && {
          label: t('errors.remedy'),
          value: <Remedy operation={operation} facts={facts} />,
        },
        !isOver && {
          label: isStored ? t('operations.receipt.nextStep') : t('common.nextStep'),
          value: isUndecided ? (
            <Skeleton className="w-3/5" />
          ) : (
            <NextStepFact operation={operation} facts={facts} />
          ),
        },
        !isOver && {
          label: t('operations.field.retryHelps'),
          value: (
            <>
              {retryHelpsText(operation, t, facts)}
              {gate.notice !== null && (
                <span className="block text-muted">{t('operations.action.retry.frozen')}</span>
              )}
            </>
          ),
        },
        !isOver && {
          label: t('operations.failed.impact'),
          value: <Impact operation={operation} />,
        },
        {
          label: t('operations.failed.place'),
          value: (
            <Where
              operation={operation}
              failurePoint={failurePoint}
              view={view}
              onShowAttempt={onShowAttempt}
            />
          ),
        },
        others.length > 0 && {
          label: t('operations.failed.also'),
          value: <AlsoFailed operation={operation} failures={others} />,
        },
        facts.namedOperation !== undefined && {
          label: t('operations.failed.namedOperation'),
          value: <OperationLink id={facts.namedOperation} />,
        },
        isOver
          ? failure.stopped && {
              label: t('operations.field.stoppedBy'),
              value: stoppedText(failure.stopped, t),
            }
          : {
              label: t(isStored ? 'operations.receipt.now' : 'operations.failed.now'),
              value: isStored ? pastText(operation, failure, t) : nowText(operation, failure, t),
            },
        // it may go on with other targets, or wait because of this failure
        !isOver &&
          !isStored &&
          (operation.batches ?? []).length > 0 && {
            label: t('operations.field.batch'),
            value: <BatchesOf operation={operation} isExplained />,
          },
        named.length > 0 && {
          label: t('operations.failed.named'),
          value: <NamedChanges changes={named} />,
        },
        {
          label: t('operations.failed.progress'),
          value: runProgressText(operation, progressOf(operation, timeline), t),
        },
      ]}
    />
  )
}

/** Whether the installation still runs, and with what; and who depends on it. */
function Impact({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { bundleInstallId } = operation.installation
  const referrers = useOperationContext(operation).data?.referrers
  const text = impactText(operation, t)
  if (referrers === undefined || referrers.items.length === 0) return text
  return (
    <>
      {text}{' '}
      <TextLink to={paths.installation(bundleInstallId, { tab: 'references' })}>
        {t(
          referrers.hasMore
            ? 'operations.failed.impact.referrers.more'
            : 'operations.failed.impact.referrers.count',
          { n: referrers.items.length },
        )}
      </TextLink>
    </>
  )
}

/** Where the operation failed: the plugin, the stage and the attempt. */
function Where({
  operation,
  failurePoint,
  view,
  onShowAttempt,
}: {
  operation: OperationDetail
  failurePoint: FailurePoint | null
  view: OperationSearch['view']
  onShowAttempt: (() => void) | undefined
}) {
  const t = useText()
  const rich = useRichText()
  const isStored = useAsOf() !== null
  if (!failurePoint) {
    return <p>{t('operations.failed.runtime', { stage: t(`vocabulary.phase.${operation.phase}`) })}</p>
  }
  const { bar, pluginId, stage } = failurePoint
  const clause = t('common.punctuation.clause')
  return (
    <p>
      {rich('operations.failed.where', {
        plugin: <PluginLink pluginId={pluginId} className="font-semibold" />,
        stage: <span className="font-semibold">{t(`vocabulary.phase.${stage}`)}</span>,
      })}
      {bar && `${clause}${t('operations.failed.attempt', bar.attempt)}`}
      {operation.failure !== null &&
        reasonOf(operation.failure) === 'pluginNotRegistered' &&
        `${clause}${t(bar ? 'operations.failed.notCalledAgain' : 'operations.failed.notCalled')}`}
      {bar && !isStored && (
        <>
          {' '}
          {/* the separator stays with the link, so that no line ends with a separator */}
          <span className="whitespace-nowrap">
            {'· '}
            <TextLink
              to={{
                ...paths.operation(operation.operationId, { ...choiceOf(bar), ...(view && { view }) }),
                hash: 'attempt',
                // the panel scrolls itself into view, also when the address stays the same
                resetScroll: false,
              }}
              {...(onShowAttempt && { onClick: onShowAttempt })}
            >
              {t('operations.failed.jump')}
            </TextLink>
          </span>
        </>
      )}
    </p>
  )
}
