import { useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { recoveryBasis, type RecoveryAction } from './recovery-actions.ts'
import { RetryDialog } from './RetryDialog.tsx'
import { StopDialog } from './StopDialog.tsx'
import { TakeoverDialog } from './TakeoverDialog.tsx'
import { timelineOf } from './timeline.ts'

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

function ChangeNotice({
  operation,
  onReview,
}: {
  operation: OperationDetail
  /** Null if the action is no longer possible. */
  onReview: (() => void) | null
}) {
  const t = useText()
  const { state, run } = operation
  return (
    <Notice tone="warn" live title={t('operations.changed.title')}>
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
