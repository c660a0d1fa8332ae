import type { Operation, OperationDetail } from '#contract/console-api/shapes.ts'
import type { PlainTextKey } from '../../../../i18n/use-text.ts'

export type RecoveryAction = 'retry' | 'takeover' | 'stop'

/** Whether the person may recover a failed operation in this way, and if not, why. */
export type Availability = { isAvailable: true } | { isAvailable: false; reason: PlainTextKey }

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
