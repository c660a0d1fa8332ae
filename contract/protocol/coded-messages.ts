/**
 * The messages of `PLATFORM_MESSAGES` that name a code or an instant, of which people read the name or the local time. The console fills
 * these itself, in English too: in a finished message, a name of somebody may look like the code.
 */
export const CODED_MESSAGES = {
  lockedByFailed:
    'The {operationType} operation {operationId} of bundle {bundle} has failed and still locks the installation. Retry it, or take it over and detach.',
  lockedByRunning:
    'The {operationType} operation {operationId} of bundle {bundle} has not finished. Wait until it finishes, then try again.',
  operationNotWaiting: 'The operation is not waiting for its next attempt: its state is {actual}. Reload it.',
  operationNotFailed: 'The operation has not failed: its state is {actual}. Reload it.',
  causeChanged: 'The cause is now {state}.',
  batchNotPaused: 'The batch is {actual}, and neither paused nor waiting before this wave. Reload it.',
  batchOperationNotFailed:
    'The operation has moved on since the batch was made: it is now {actual}. Nothing was started.',
  changesFrozen: 'Changes are frozen until {until}: {text}',
  approvalRequired:
    'Environment {environment} requires an approved change request for this kind of change: {kind}. Request a review instead.',
  changeState: 'This is not possible in the state of the change request: {actual}. Reload it.',
  changeTooLate: 'The change request could not be applied before {until}.',
  changeTooLateFrozen:
    'The change request could not be applied before {until}, because changes were frozen: {text}',
  operationEnded: 'Only an unfinished operation can be paused; this one is {actual}.',
} as const
