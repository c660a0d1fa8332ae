import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Notice } from '../../../ui/Notice.tsx'
import type { RecoveryAction } from './recovery-actions.ts'
import { RetryDialog } from './RetryDialog.tsx'
import { StopDialog } from './StopDialog.tsx'
import { TakeoverDialog } from './TakeoverDialog.tsx'
import { timelineOf } from './timeline.ts'

/**
 * A recovery that a person is about to start, with the operation as displayed: the runtime refuses if it has changed.
 */
export type ChosenRecovery = { action: RecoveryAction; seen: OperationDetail }

/** Rendered by the page and not by the failure panel, so that it stays if the failure disappears meanwhile. */
export function RecoveryDialog({
  chosen,
  operation,
  onClose,
}: {
  chosen: ChosenRecovery
  operation: OperationDetail
  onClose: () => void
}) {
  const { action, seen } = chosen
  const hasChanged = operation.state !== seen.state || operation.run !== seen.run
  const props = {
    operation: seen,
    timeline: timelineOf(seen),
    onClose,
    changeNotice: hasChanged ? <ChangeNotice operation={operation} /> : null,
  }
  switch (action) {
    case 'retry':
      return <RetryDialog {...props} />
    case 'takeover':
      return <TakeoverDialog {...props} />
    case 'stop':
      // an automatic attempt may run meanwhile
      return (
        <StopDialog {...props} changeNotice={operation.state === 'RUNNING' ? null : props.changeNotice} />
      )
  }
}

function ChangeNotice({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const state = t(`vocabulary.operation.${operation.state}`)
  return (
    <Notice tone="warn" live title={t('operations.changed.title')}>
      {t('operations.changed.text', { state, run: operation.run })}
    </Notice>
  )
}
