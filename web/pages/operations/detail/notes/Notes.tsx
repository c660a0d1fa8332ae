import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { Section } from '../../../../ui/Card.tsx'
import { Time } from '../../../../ui/Time.tsx'

/** Who works on it. */
export function AssigneeText({ operation: { assignee } }: { operation: OperationDetail }) {
  const t = useText()
  return (
    <p role="status">
      <span className="text-muted">
        {t('operations.field.assignee')}
        {t('common.punctuation.colon')}
      </span>
      {assignee === null ? (
        <span className="text-muted">{t('operations.assignee.nobody')}</span>
      ) : (
        <span className="font-medium">{assignee.name}</span>
      )}
    </p>
  )
}

/** The notes, oldest first, as plain text. */
export function Notes({ operation: { notes } }: { operation: OperationDetail }) {
  const t = useText()
  if (notes === undefined || notes.length === 0) return null
  return (
    <ul aria-label={t('operations.notes.title')} className="mt-3 space-y-2">
      {notes.map(({ number, author, at, text }) => (
        <li key={number}>
          <span className="font-medium">{author.name}</span> <Time at={at} className="text-xs text-muted" />
          <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** The assignee and the notes of a receipt, if it has any. */
export function ReceiptAssignment({ operation }: { operation: OperationDetail }) {
  const t = useText()
  if (operation.assignee === null && (operation.notes ?? []).length === 0) return null
  return (
    <Section title={t('operations.assignee.title')} flush>
      <AssigneeText operation={operation} />
      <Notes operation={operation} />
    </Section>
  )
}
