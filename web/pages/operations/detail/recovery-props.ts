import type { ReactNode } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import type { Timeline } from './timeline.ts'

/** The props of the dialog of a recovery action. */
export interface RecoveryProps {
  operation: OperationDetail
  timeline: Timeline
  onClose: () => void
  /** Shown when the operation has changed since the dialog was opened. */
  changeNotice: ReactNode
}
