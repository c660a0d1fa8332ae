import type { Batch, ChangeRequest, ChangeRequestDetail, Person } from '#contract/console-api/shapes.ts'
import type { Translate } from '../../i18n/use-text.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'
import { totalOf } from '../batch/batch-counts.ts'

/** How the state of a change request looks. */
export const changeLook: Record<ChangeRequest['state'], { tone: Tone; icon: IconName }> = {
  DRAFT: { tone: 'quiet', icon: 'edit' },
  OPEN: { tone: 'doubt', icon: 'waiting' },
  CONFLICTED: { tone: 'fail', icon: 'warning' },
  APPROVED: { tone: 'ok', icon: 'done' },
  SCHEDULED: { tone: 'ok', icon: 'clock' },
  APPLYING: { tone: 'live', icon: 'running' },
  APPLIED: { tone: 'ok', icon: 'done' },
  REJECTED: { tone: 'quiet', icon: 'nothing' },
  WITHDRAWN: { tone: 'quiet', icon: 'nothing' },
  EXPIRED: { tone: 'quiet', icon: 'nothing' },
  REFUSED: { tone: 'fail', icon: 'failed' },
}

/** Whether some or nothing of what it started has succeeded; null if all, or unless it was applied. */
export function undoneOf({ state, failure, counts }: Ended): 'some' | 'none' | null {
  if (state !== 'APPLIED') return null
  if (counts !== undefined)
    return counts.SUCCEEDED === totalOf(counts) ? null : counts.SUCCEEDED > 0 ? 'some' : 'none'
  if (failure == null) return null
  return failure.parameters?.['reason'] === 'changeNotDone' ? 'none' : 'some'
}
type Ended = Pick<ChangeRequest, 'state'> & { failure?: ChangeRequest['failure'] | undefined } & Counted

/** With the counts of its batch, once they are loaded: targets may have been retried since it was applied. */
export interface Counted {
  counts?: Batch['counts'] | undefined
}

/** How a request looks: one whose batch was stopped does not look as if all was done. */
export const lookOfChange = (request: Ended): { tone: Tone; icon: IconName } =>
  undoneOf(request) === null ? changeLook[request.state] : { tone: 'doubt', icon: 'warning' }

/** The state in words. */
export function changeStateText(request: Ended, t: Translate): string {
  const undone = undoneOf(request)
  return t(undone === null ? `changes.state.${request.state}` : `changes.state.APPLIED.${undone}`)
}

/** Everyone who wrote what it asks for, its creator first: none of them can approve or reject it. */
export const authorsOf = ({ authors, createdBy }: ChangeRequestDetail): readonly Person[] =>
  authors ?? [createdBy]

/** Whether it has ended, and nothing of it was applied: what it asked for can be asked for again. */
export const isEndedBefore = ({ state }: Pick<ChangeRequest, 'state'>): boolean =>
  ['REJECTED', 'WITHDRAWN', 'EXPIRED', 'REFUSED'].includes(state)

/** Whether it can still change. */
export const isLive = ({ state }: Pick<ChangeRequest, 'state'>): boolean =>
  ['DRAFT', 'OPEN', 'CONFLICTED', 'APPROVED', 'SCHEDULED'].includes(state)
