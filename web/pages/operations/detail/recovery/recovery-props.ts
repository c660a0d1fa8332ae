import type { OperationDetail } from '#contract/console-api/shapes.ts'
import type { ConfirmChange } from '../../../../forms/dialogs/ConfirmForm.tsx'
import type { Timeline } from '../calls/timeline.ts'

/** The props of the dialog of a recovery action. */
export interface RecoveryProps {
  operation: OperationDetail
  timeline: Timeline
  onClose: () => void
  /** What the person typed before they left to sign in again; empty otherwise. */
  initialReason: string
  /** When the operation has changed since the dialog was opened or last reviewed; null while it has not. */
  change: ConfirmChange | null
}
