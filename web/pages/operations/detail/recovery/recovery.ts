import type { Operation, OperationDetail } from '#contract/console-api/shapes.ts'
import type { PlainTextKey } from '../../../../i18n/use-text.ts'
import type { ConfirmChange } from '../../../../forms/dialogs/ConfirmForm.tsx'
import type { CallTimeline } from '../calls/timeline.ts'
import { useWrite } from '../../../../api/write.ts'

export type RecoveryAction = 'retry' | 'takeover' | 'stop'

/** Whether the person may recover a failed operation in this way, and if not, why. */
type Availability = { isAvailable: true } | { isAvailable: false; reason: PlainTextKey }

/** Only a FAILED operation can be recovered. Nothing is offered that the runtime would refuse. */
export function recoveryAvailability(
  action: Exclude<RecoveryAction, 'stop'>,
  { state }: Pick<Operation, 'state'>,
  may: boolean,
): Availability {
  if (state !== 'FAILED') return { isAvailable: false, reason: `operations.action.${action}.${state}` }
  return may
    ? { isAvailable: true }
    : { isAvailable: false, reason: `operations.action.${action}.permission` }
}

/** What a person decides on: the state, the calls, their results, and the plugins. Two equal ones are the same basis. */
export const recoveryBasis = ({ state, run, failure, stages, plugins }: OperationDetail): string =>
  JSON.stringify([state, run, failure, stages, plugins])

/** The props of the dialog of a recovery action. */
export interface RecoveryProps {
  operation: OperationDetail
  timeline: CallTimeline
  onClose: () => void
  /** What the person typed before they left to sign in again; empty otherwise. */
  initialReason: string
  /** When the operation has changed since the dialog was opened or last reviewed; null while it has not. */
  change: ConfirmChange | null
}

/** Starts a recovery of an operation. */
export function useRecovery<Action extends 'retry' | 'takeover' | 'attempt-now' | 'stop-retrying'>(
  action: Action,
) {
  return useWrite(`POST /operations/{operationId}/${action}`, {
    invalidates: ['GET /operations/{operationId}', 'GET /operations', 'GET /summary', 'GET /installations'],
  })
}

/** The topic of the toast which says that a run has started; it is dismissed when the run has ended. */
export const retryTopic = (operationId: string, run: number): string => `${operationId} run ${run}`
