import type { ReactNode } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import type { Timeline } from './timeline.ts'

/** The props of the dialog of a recovery action. */
export interface RecoveryProps {
  operation: OperationDetail
  timeline: Timeline
  onClose: () => void
  /**
   * When the operation has changed since the dialog was opened or last reviewed: what to show, and why nothing can be
   * confirmed. Null while it has not changed.
   */
  change: { notice: ReactNode; reason: string } | null
}
