import type { BatchAction } from '#contract/console-api/vocabulary.ts'

export interface BatchSubject {
  action: BatchAction
  targets: number
  /** Null if the batch was refused. */
  batchId: string | null
}

const SUBJECT = /^(RETRY|TAKEOVER|UPGRADE|CONFIGURE|DETACH) (\d+)(?: ([0-9a-f-]{36}))?$/

/** The batch that an audit entry names; null for other subjects, and for batches that were recorded as text. */
export function batchSubject(subject: string): BatchSubject | null {
  const [, action, targets, batchId] = SUBJECT.exec(subject) ?? []
  if (action === undefined) return null
  // the pattern proves the cast
  return { action: action as BatchAction, targets: Number(targets), batchId: batchId ?? null }
}
