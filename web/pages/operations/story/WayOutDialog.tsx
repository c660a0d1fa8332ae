import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Notice } from '../../../ui/Notice.tsx'
import { RetryDialog } from './RetryDialog.tsx'
import { TakeoverDialog } from './TakeoverDialog.tsx'
import { timelineOf } from './timeline.ts'
import type { WayOut } from './WaysOut.tsx'

/** A way out that somebody is about to go, from the operation as they saw it: the runtime refuses when it is another by then. */
export type ChosenWayOut = { way: WayOut; seen: OperationDetail }

/** It belongs to the page and not to the failure, so that it stays when the failure goes meanwhile. */
export function WayOutDialog({
  chosen,
  operation,
  onClose,
}: {
  chosen: ChosenWayOut | null
  operation: OperationDetail
  onClose: () => void
}) {
  if (!chosen) return null
  const { seen } = chosen
  const hasMoved = operation.state !== 'FAILED' || operation.run !== seen.run
  const props = {
    operation: seen,
    timeline: timelineOf(seen),
    onClose,
    moved: hasMoved ? <Moved operation={operation} /> : null,
  }
  return chosen.way === 'retry' ? <RetryDialog {...props} /> : <TakeoverDialog {...props} />
}

function Moved({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const state = t(`vocabulary.operation.${operation.state}`)
  return (
    <Notice tone="warn" live title={t('operations.changed.title')}>
      {t('operations.changed.text', { state, run: operation.run })}
    </Notice>
  )
}
