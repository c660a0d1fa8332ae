import type { ChangeRequest, ChangeRequestDetail, Person } from '#contract/console-api/shapes.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'

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

/** Everyone who wrote what it asks for, its creator first: none of them can approve or reject it. */
export const authorsOf = ({ authors, createdBy }: ChangeRequestDetail): readonly Person[] =>
  authors ?? [createdBy]

/** Whether it can still change. */
export const isLive = ({ state }: Pick<ChangeRequest, 'state'>): boolean =>
  ['DRAFT', 'OPEN', 'CONFLICTED', 'APPROVED', 'SCHEDULED'].includes(state)
