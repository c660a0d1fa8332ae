import type { ChangeState } from '#contract/runtime-api/vocabulary.ts'

/** What can happen to a change request. docs/change-requests.md has the table. */
export const CHANGE_STEPS = [
  'edit',
  'submit',
  'approve',
  'reject',
  'withdraw',
  'schedule',
  'unschedule',
  // its base has moved, and was merged or met an overlap
  'rebase',
  'conflict',
  'apply',
  'override',
  'expire',
  'refuse',
  'finish',
] as const
export type ChangeStep = (typeof CHANGE_STEPS)[number]

/** What counts for a step, with what the step itself brings: its approval, its schedule, the effect as of now. */
export interface ChangeFacts {
  /** Approvals of the present effect by people who did not write it. */
  approvals: number
  /** What the policies asked for when it was submitted, or ask for now, if that is more. */
  needed: number
  hasSchedule: boolean
}

/** States from which a change request can still change. */
export const LIVE_STATES = [
  'DRAFT',
  'OPEN',
  'CONFLICTED',
  'APPROVED',
  'SCHEDULED',
] as const satisfies ChangeState[]

const SUBMITTED: ReadonlySet<ChangeState> = new Set<ChangeState>([
  'OPEN',
  'CONFLICTED',
  'APPROVED',
  'SCHEDULED',
])
const READY: ReadonlySet<ChangeState> = new Set<ChangeState>(['OPEN', 'APPROVED', 'SCHEDULED'])

/**
 * The state after a step; null if the step is not possible in that state. Anyone who may not take a step is refused before. An
 * approval counts for an effect only, so every step that may change the effect judges again.
 */
export function transition(state: ChangeState, step: ChangeStep, facts: ChangeFacts): ChangeState | null {
  switch (step) {
    case 'edit':
      return state === 'DRAFT' ? 'DRAFT' : SUBMITTED.has(state) ? judged(facts) : null
    case 'submit':
      return state === 'DRAFT' ? judged(facts) : null
    case 'approve':
      return READY.has(state) ? judged(facts) : null
    case 'reject':
      return SUBMITTED.has(state) ? 'REJECTED' : null
    case 'withdraw':
      return state === 'DRAFT' || SUBMITTED.has(state) ? 'WITHDRAWN' : null
    case 'schedule':
    case 'unschedule':
      // a conflict stays one until it is resolved
      return state === 'CONFLICTED' ? 'CONFLICTED' : READY.has(state) ? judged(facts) : null
    case 'rebase':
      return state === 'DRAFT' ? 'DRAFT' : SUBMITTED.has(state) ? judged(facts) : null
    case 'conflict':
      return state === 'DRAFT' ? 'DRAFT' : SUBMITTED.has(state) ? 'CONFLICTED' : null
    case 'apply':
      return READY.has(state) && isApproved(facts) ? 'APPLYING' : null
    case 'override':
      return READY.has(state) ? 'APPLYING' : null
    case 'expire':
      return SUBMITTED.has(state) && facts.hasSchedule ? 'EXPIRED' : null
    case 'refuse':
      return state === 'SCHEDULED' ? 'REFUSED' : null
    case 'finish':
      return state === 'APPLYING' ? 'APPLIED' : null
  }
}

/** Whether it may be applied. */
export const isApproved = ({ approvals, needed }: ChangeFacts): boolean => approvals >= needed

function judged(facts: ChangeFacts): ChangeState {
  if (facts.hasSchedule && isApproved(facts)) return 'SCHEDULED'
  // without a policy it may be applied at once, but nobody has approved it
  return isApproved(facts) && facts.approvals > 0 ? 'APPROVED' : 'OPEN'
}
