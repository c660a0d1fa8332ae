import { useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { needsSignIn, SignInAgain } from '../../../../subjects/sign-in/SignInAgain.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { Notice } from '../../../../ui/Notice.tsx'
import { recoveryBasis, type RecoveryAction, type RecoveryProps, useRecovery } from './recovery.ts'
import { RetryDialog } from './RetryDialog.tsx'
import { TakeoverDialog } from './TakeoverDialog.tsx'
import { timelineOf } from '../calls/timeline.ts'
import { ConfirmForm } from '../../../../forms/dialogs/ConfirmForm.tsx'

/**
 * A recovery that a person is about to start, with the operation as displayed, and the reason if they had typed one. The
 * runtime refuses if the operation has changed.
 */
export type ChosenRecovery = { action: RecoveryAction; seen: OperationDetail; reason: string }

/**
 * Rendered by the page and not by the failure panel, so that it stays if the failure disappears meanwhile. When anything
 * moves, nothing can be confirmed until the person has reviewed it; what they typed stays.
 */
export function RecoveryDialog({
  chosen,
  operation,
  onClose,
}: {
  chosen: ChosenRecovery
  operation: OperationDetail
  onClose: () => void
}) {
  const t = useText()
  const { action } = chosen
  const [seen, setSeen] = useState(chosen.seen)
  // the automatic retries of a waiting operation move all the time, and stopping them stays what it is
  const hasChanged =
    action === 'stop'
      ? operation.state !== 'RUNNING' && hasMoved(seen, operation)
      : recoveryBasis(seen) !== recoveryBasis(operation)
  const props = {
    operation: seen,
    timeline: timelineOf(seen),
    onClose,
    initialReason: chosen.reason,
    change: hasChanged
      ? {
          notice: (
            <ChangeNotice
              seen={seen}
              operation={operation}
              onReview={action === 'stop' || operation.state !== 'FAILED' ? null : () => setSeen(operation)}
            />
          ),
          reason: t('operations.changed.title'),
        }
      : null,
  }
  switch (action) {
    case 'retry':
      return <RetryDialog {...props} />
    case 'takeover':
      return <TakeoverDialog {...props} />
    case 'stop':
      return <StopDialog {...props} />
  }
}

const hasMoved = (seen: OperationDetail, now: OperationDetail) =>
  seen.state !== now.state || seen.run !== now.run

/** Who changed the operation since the person saw it, and why; null if the platform did. */
function causeOf(seen: OperationDetail, { takeover, retries, failure }: OperationDetail) {
  if (takeover && !seen.takeover) return { how: 'takenOver', ...takeover } as const
  const retry = retries.at(-1)
  if (retry && retry.run > seen.run)
    return { how: 'retried', by: retry.startedBy, reason: retry.reason } as const
  const stopped = failure?.stopped
  if (stopped && !seen.failure?.stopped) return { how: 'stopped', ...stopped } as const
  return null
}

function ChangeNotice({
  seen,
  operation,
  onReview,
}: {
  /** The operation as the person saw it. */
  seen: OperationDetail
  operation: OperationDetail
  /** Null if the action is no longer possible. */
  onReview: (() => void) | null
}) {
  const t = useText()
  const { state, run } = operation
  const cause = causeOf(seen, operation)
  return (
    <Notice tone="warn" live title={t('operations.changed.title')}>
      {cause && <p>{t(`operations.changed.${cause.how}`, { person: cause.by.name })}</p>}
      {/* on a separate line: what a person typed need not end like a sentence */}
      {cause?.reason && <p>{t('operations.changed.reason', { reason: cause.reason })}</p>}
      <p>{t('operations.changed.text', { state: t(`vocabulary.operation.${state}`), run })}</p>
      {onReview ? (
        <Button size="sm" className="mt-2" onClick={onReview}>
          {t('operations.changed.review')}
        </Button>
      ) : (
        <p>{t('operations.changed.over')}</p>
      )}
    </Notice>
  )
}

/** Stops the automatic retries, so that the operation can be taken over without waiting for the last attempt. */
function StopDialog({ operation, onClose, change }: RecoveryProps) {
  const t = useText()
  const stop = useRecovery('stop-retrying')
  const { operationId, run, operationType } = operation
  const gate = useGate(operation.installation, operationType, true)
  return (
    <ConfirmForm
      change={change}
      onClose={onClose}
      title={t('recovery.stop.title')}
      confirm={t('recovery.stop.confirm')}
      reason={{ label: t('operations.field.reason'), required: true }}
      blockedReason={gate.blocked}
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      send={async ({ reason }) => {
        await stop.mutateAsync({ params: { operationId }, body: { run, reason, ...gate.override } })
        onClose()
      }}
    >
      {gate.choice}
      <p>{t('recovery.stop.about')}</p>
      <p className="text-muted">{t('recovery.stop.unknown')}</p>
    </ConfirmForm>
  )
}
