import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { BatchAction } from '#contract/console-api/vocabulary.ts'
import type { Translate } from '../../i18n/use-text.ts'

const OPERATION_SUBJECT = /^(INSTALL|UPGRADE|CONFIGURE|DETACH) of (.+?)(?:, run (\d+))?(?: → (.+))?$/

/** The operation that an audit entry names, in the person's language; other subjects stay as they are. */
export function operationSubject(subject: string, t: Translate): string {
  const [, constant, bundle, run, assignee] = OPERATION_SUBJECT.exec(subject) ?? []
  if (constant === undefined || bundle === undefined) return subject
  // the pattern proves the cast
  const type = t(`vocabulary.type.${constant as OperationType}`)
  const operation =
    run === undefined
      ? t('audit.subject.operation', { type, bundle })
      : t('audit.subject.run', { type, bundle, run })
  return assignee === undefined ? operation : `${operation} → ${assignee}`
}

interface BatchSubject {
  action: BatchAction
  targets: number
  /** Null if the batch was refused. */
  batchId: string | null
}

const BATCH_SUBJECT = /^(RETRY|TAKEOVER|INSTALL|UPGRADE|CONFIGURE|DETACH) (\d+)(?: ([0-9a-f-]{36}))?$/

/** The batch that an audit entry names; null for other subjects, and for batches that were recorded as text. */
export function batchSubject(subject: string): BatchSubject | null {
  const [, action, targets, batchId] = BATCH_SUBJECT.exec(subject) ?? []
  if (action === undefined) return null
  // the pattern proves the cast
  return { action: action as BatchAction, targets: Number(targets), batchId: batchId ?? null }
}
