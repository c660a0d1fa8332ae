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

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const IDS = new RegExp(UUID, 'g')
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** A subject with each id as its end, as lists show it. */
export const plainSubject = (subject: string): string => subject.replaceAll(IDS, (id) => `…${id.slice(-8)}`)

/** Whether the subject is the time of a backup. */
export const isTime = (subject: string): boolean => TIME.test(subject)

const CHANGE_SUBJECT = new RegExp(`^[A-Z]+ (${UUID}) "(.+)"$`, 's')

/** The change request that an audit entry names; null for other subjects. */
export function changeSubject(subject: string): { changeRequestId: string; title: string } | null {
  const [, changeRequestId, title] = CHANGE_SUBJECT.exec(subject) ?? []
  return changeRequestId === undefined || title === undefined ? null : { changeRequestId, title }
}

interface BatchSubject {
  action: BatchAction
  targets: number
  /** Null if the batch was refused. */
  batchId: string | null
  /** As its maker named it. */
  title: string | null
  /** What it is about, if that is one bundle. */
  bundle: string | null
}

const BATCH_SUBJECT =
  /^(RETRY|TAKEOVER|INSTALL|UPGRADE|CONFIGURE|DETACH) (\d+)(?: ([0-9a-f-]{36}))?(?: "(.+)"| of (.+))?$/s

/** The batch that an audit entry names; null for other subjects, and for batches that were recorded as text. */
export function batchSubject(subject: string): BatchSubject | null {
  const [, action, targets, batchId = null, title = null, bundle = null] = BATCH_SUBJECT.exec(subject) ?? []
  if (action === undefined) return null
  // the pattern proves the cast
  return { action: action as BatchAction, targets: Number(targets), batchId, title, bundle }
}

/** What a batch is called in the audit: its action, with the title or the bundle if the entry names them. */
export function batchSubjectText({ action, targets: n, title, bundle }: BatchSubject, t: Translate): string {
  const text =
    bundle === null
      ? t(`audit.batch.${action}`, { n })
      : t(`batches.name.${action === 'CONFIGURE' ? 'CONFIGURE.several' : action}`, { n, bundle })
  return title === null ? text : t('audit.batch.titled', { title, text })
}
