import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Translate } from '../../i18n/use-text.ts'

const SUBJECT = /^(INSTALL|UPGRADE|CONFIGURE|DETACH) of (\S+?)(?:, run (\d+))?(?: → (.+))?$/

/** The operation that an audit entry names, in the person's language; other subjects stay as they are. */
export function operationSubject(subject: string, t: Translate): string {
  const [, constant, bundle, run, assignee] = SUBJECT.exec(subject) ?? []
  if (constant === undefined || bundle === undefined) return subject
  // the pattern proves the cast
  const type = t(`vocabulary.type.${constant as OperationType}`)
  const operation =
    run === undefined
      ? t('audit.subject.operation', { type, bundle })
      : t('audit.subject.run', { type, bundle, run })
  return assignee === undefined ? operation : `${operation} → ${assignee}`
}
