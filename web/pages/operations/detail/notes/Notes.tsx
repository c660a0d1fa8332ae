import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { NoteList } from '../../../../subjects/people/NoteList.tsx'
import { Section } from '../../../../ui/Card.tsx'

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
    <div className="mt-3">
      <NoteList notes={notes} label={t('operations.notes.title')} />
    </div>
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
