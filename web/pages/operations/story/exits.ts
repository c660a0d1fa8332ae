import type { Operation } from '#contract/console-api/shapes.ts'
import type { PlainTextKey } from '../../../i18n/use-text.ts'

/** Whether a way out of a failed operation is open to the person; if not, why, and who could. */
export type Exit = { isOpen: true } | { isOpen: false; why: PlainTextKey }

const OPEN: Exit = { isOpen: true }

/** Both ways out are for FAILED alone, so that none is offered that the runtime would refuse. */
export function retryExit({ state }: Pick<Operation, 'state'>, may: boolean): Exit {
  if (state !== 'FAILED') return { isOpen: false, why: `operations.action.retry.${state}` }
  return may ? OPEN : { isOpen: false, why: 'operations.action.retry.permission' }
}

export function takeoverExit({ state }: Pick<Operation, 'state'>, may: boolean): Exit {
  if (state !== 'FAILED') return { isOpen: false, why: `operations.action.takeover.${state}` }
  return may ? OPEN : { isOpen: false, why: 'operations.action.takeover.permission' }
}
