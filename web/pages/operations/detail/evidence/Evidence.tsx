import { nextRetryOf } from '../../../../subjects/operations/operation-texts.ts'
import type { ReactNode } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { Guidance } from '../failure/Guidance.tsx'
import { useMay } from '../../../../api/session.ts'
import { useErrorView } from '../../../../i18n/describe-code.ts'
import { isInDoubt } from '../../../../subjects/operations/in-doubt.ts'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { pausedText, usePauses } from '../../../../subjects/gate/use-pauses.ts'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { useRichText, useText, type Translate } from '../../../../i18n/use-text.ts'
import { Button } from '../../../../ui/Button.tsx'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { Id } from '../../../../ui/Id.tsx'
import { Notice } from '../../../../ui/Notice.tsx'
import { Countdown } from '../../../../ui/Time.tsx'
import { useNow } from '../../../../ui/use-now.ts'
import { NextStepText } from '../../../../subjects/operations/NextStepText.tsx'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'
import { useRecovery } from '../recovery/recovery.ts'
import { momentOf, rowsOf, type Bar, type CallTimeline } from '../calls/timeline.ts'
import { isLimited, type Verdict } from '../calls/verdict.ts'
import { messageText } from '../../../../i18n/message-text.ts'

/** Shown while the operation waits: why, and that it continues automatically. A person can shorten the wait, or end it. */
export function WaitingPanel({
  operation,
  timeline,
  onStop,
}: {
  operation: OperationDetail
  timeline: CallTimeline
  onStop: () => void
}) {
  const t = useText()
  const waiting = rowsOf(timeline).find(({ row }) => row.retryAt !== null)?.row
  const last = waiting?.bars.at(-1)
  const retryAt = momentOf(nextRetryOf(operation))
  if (!waiting || !last) return null
  const { title, text } = headOf(last, t)
  return (
    <section aria-label={title} className="rounded-lg border border-doubt-line bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="flex min-w-0 gap-3">
          <Icon name={last.verdict === 'REPEAT' ? 'waiting' : 'unknown'} className="mt-1 text-doubt" />
          <div className="min-w-0">
            <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
            {/* above stands that a person has to look at it, or to resume it */}
            {!isInDoubt(operation) && retryAt !== null && <p className="text-md">{text}</p>}
          </div>
        </div>
        {retryAt !== null && <NextRetry at={retryAt} />}
      </div>
      <div className="mt-3 sm:pl-7">
        <Allowance operation={operation} pluginId={waiting.pluginId} stage={last.stage} />
        <EvidenceList operation={operation} bar={last} count={waiting.count} settles />
        <Guidance operation={operation} pluginId={waiting.pluginId} failure={last.attempt.failure} />
        <WaitingActions operation={operation} onStop={onStop} />
      </div>
    </section>
  )
}

function WaitingActions({ operation, onStop }: { operation: OperationDetail; onStop: () => void }) {
  const t = useText()
  const attempt = useRecovery('attempt-now')
  const mayRetry = useMay('operation:retry', operation.installation)
  const { operationId, run, operationType } = operation
  const { notice } = useGate(operation.installation, operationType, true)
  const disabledReason = mayRetry ? null : t('operations.action.retry.permission')
  const error = useErrorView(attempt.error)
  return (
    <div className="mt-3 space-y-2">
      {notice}
      {error && <Notice tone="warn">{error.message}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          icon="retry"
          busy={attempt.isPending}
          disabledReason={
            disabledReason ??
            (operation.nextStep.action === 'RESUME'
              ? t('pauses.meaning')
              : notice !== null && t('freezes.blocked'))
          }
          onClick={() => attempt.mutate({ params: { operationId }, body: { run } })}
        >
          {t('operations.action.attemptNow')}
        </Button>
        <Button icon="close" disabledReason={disabledReason} onClick={onStop}>
          {t('operations.action.stop')}
        </Button>
      </div>
    </div>
  )
}

/** How many attempts are left before the operation fails. */
function Allowance({
  operation,
  pluginId,
  stage,
}: {
  operation: OperationDetail
  pluginId: string
  stage: Bar['stage']
}) {
  const t = useText()
  const rich = useRichText()
  const pauses = usePauses(operation)
  const call = operation.stages
    .find((candidate) => candidate.stage === stage)
    ?.calls.find((candidate) => candidate.pluginId === pluginId)
  const allowed = operation.plugins.find((plugin) => plugin.pluginId === pluginId)?.maxAttempts
  if (call === undefined || allowed === undefined) return null
  const last = call.attempts.at(-1)
  return (
    <DefinitionList
      className="mb-1.5 border-b border-line pb-1.5"
      items={[
        {
          label: t('operations.failed.place'),
          value: (
            <>
              {rich('operations.failed.where', {
                plugin: <PluginLink pluginId={pluginId} className="font-semibold" />,
                stage: <span className="font-semibold">{t(`vocabulary.phase.${stage}`)}</span>,
              })}
              {last && `${t('common.punctuation.clause')}${t('operations.failed.attempt', last)}`}
            </>
          ),
        },
        {
          label: t('operations.failed.now'),
          value:
            operation.nextStep.action === 'RESUME'
              ? t('operations.running.now.paused', { what: pausedText(pauses, t) })
              : t('operations.failed.now.attempt', { attempt: call.runAttempts + 1, allowed }),
        },
        { label: t('common.nextStep'), value: <UnfinishedNextStep operation={operation} /> },
      ]}
    />
  )
}

/** What happened in the last attempt. Only a plugin that answered as it should is no reason to look at it. */
function headOf({ verdict, attempt: { failure } }: Bar, t: Translate): { title: string; text: string } {
  if (verdict === 'REPEAT')
    return { title: t('operations.evidence.title.repeat'), text: t('operations.evidence.calm.repeat') }
  if (FAILING.has(verdict) && failure !== null)
    return { title: failureTitle(failure, t), text: t('operations.evidence.calm.failing') }
  return { title: t('operations.evidence.title.uncertain'), text: t('operations.evidence.calm.uncertain') }
}

const FAILING: ReadonlySet<Verdict> = new Set(['NOT_DELIVERED', 'NO_ANSWER', 'REJECTED', 'UNREADABLE'])

function NextRetry({ at }: { at: number }) {
  const t = useText()
  const rich = useRichText()
  const now = useNow(1000)
  return (
    <p className="rounded-md border border-doubt-line bg-doubt-tint px-2.5 py-1 font-medium text-doubt tabular-nums">
      {at <= now
        ? t('operations.evidence.retriesNow')
        : rich('operations.evidence.retriesIn', { time: <Countdown to={at} /> })}
    </p>
  )
}

/** What was sent, what was received, what that proves and what it does not. */
export function EvidenceList({
  operation,
  bar,
  count,
  settles = false,
}: {
  operation: OperationDetail
  bar: Bar
  /** The number of times the call was sent. */
  count: number
  settles?: boolean
}) {
  const t = useText()
  const rich = useRichText()
  const texts = evidenceTexts(bar, t)
  if (!texts) return null
  const sent: ReactNode = rich('operations.evidence.sent.text', {
    n: count,
    plugin: <PluginLink pluginId={bar.pluginId} className="font-medium" />,
    stage: t(`vocabulary.phase.${bar.stage}`),
    id: <Id id={operation.operationId} />,
  })
  return (
    <DefinitionList
      items={[
        bar.verdict !== 'NOT_DELIVERED' && { label: t('operations.evidence.sent'), value: sent },
        { label: t('operations.evidence.received'), value: texts.back },
        { label: t('operations.evidence.known'), value: texts.proves },
        { label: t('operations.evidence.unknown'), value: texts.open },
        settles && { label: t('operations.evidence.outlook'), value: t('operations.evidence.outlook.text') },
      ]}
    />
  )
}

function evidenceTexts({ verdict, attempt }: Bar, t: Translate) {
  const message = attempt.failure === null ? '' : messageText(attempt.failure)
  const code = attempt.failure?.errorCode ?? ''
  switch (verdict) {
    case 'UNKNOWN':
    case 'INTERRUPTED':
    case 'UNRECORDED':
      return {
        back: t(`operations.evidence.received.${verdict}`),
        proves: t(`operations.evidence.known.${verdict}`),
        open: t(`operations.evidence.unknown.${verdict}`),
      }
    case 'REJECTED':
      return {
        back: t('operations.evidence.received.REJECTED', { message }),
        proves: t('operations.evidence.known.REJECTED'),
        open: t(
          attempt.failure !== null && isLimited(attempt.failure)
            ? 'operations.evidence.unknown.limited'
            : 'operations.evidence.unknown.REJECTED',
        ),
      }
    case 'NOT_DELIVERED':
    case 'NO_ANSWER':
    case 'UNREADABLE':
      return {
        back: t(`operations.evidence.received.${verdict}`, { message }),
        proves: t(`operations.evidence.known.${verdict}`),
        open: t(`operations.evidence.unknown.${verdict}`),
      }
    case 'REPEAT':
      return {
        back: t('operations.evidence.received.REPEAT', { code, message }),
        proves: t('operations.evidence.known.REPEAT'),
        open: t('operations.evidence.unknown.REPEAT'),
      }
    default:
      return null
  }
}

/** Who acts next on an operation in progress; of one that is paused, with whom to decide that it goes on. */
export function UnfinishedNextStep({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const [pause] = usePauses(operation)
  return (
    <NextStepText
      nextStep={operation.nextStep}
      what={
        pause && t('operations.running.next.paused', { person: pause.by.name, what: pausedText([pause], t) })
      }
    />
  )
}
