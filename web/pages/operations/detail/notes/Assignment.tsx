import { Suspense, useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../../api/session.ts'
import { useWrite } from '../../../../api/write.ts'
import { errorView, useErrorView } from '../../../../i18n/describe-code.ts'
import { AssignMenu } from '../../../../subjects/people/AssignMenu.tsx'
import { useText } from '../../../../i18n/use-text.ts'
import { useShell } from '../../../../subjects/shell/shell-context.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Section } from '../../../../ui/Card.tsx'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { showToast } from '../../../../ui/toast.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { AssigneeText, Notes } from './Notes.tsx'
import { OperationCause } from './OperationCause.tsx'

const NoteDialog = lazyPart(
  async () => (await import('../../../../subjects/operations/NoteDialog.tsx')).NoteDialog,
)

/** Who works on the operation, the cause of its failure, and the notes on it. A change is refused if someone else was faster. */
export function Assignment({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { operationId, assignee } = operation
  const [isWriting, setWriting] = useState(false)
  const { assign, assignTo, disabledReason, me } = useAssign(operation)
  const error = useErrorView(assign.error)
  return (
    <Section
      title={t('operations.assignee.title')}
      flush
      actions={
        <>
          {me !== null && (
            <Button
              size="sm"
              icon="person"
              busy={assign.isPending}
              disabledReason={disabledReason}
              onClick={() => assignTo(me)}
            >
              {t('operations.assignee.me')}
            </Button>
          )}
          {disabledReason === null && (
            <AssignMenu
              size="sm"
              people={[
                operation.requestedBy,
                ...operation.retries.map(({ startedBy }) => startedBy),
                ...(operation.notes ?? []).map(({ author }) => author),
              ]}
              except={assignee?.id}
              onChoose={assignTo}
            />
          )}
          {assignee !== null && (
            <Button
              size="sm"
              busy={assign.isPending}
              disabledReason={disabledReason}
              onClick={() => assignTo(null)}
            >
              {t('operations.assignee.remove')}
            </Button>
          )}
          <Button size="sm" icon="edit" disabledReason={disabledReason} onClick={() => setWriting(true)}>
            {t('operations.notes.add')}
          </Button>
        </>
      }
    >
      {error && (
        <Notice tone="warn" live title={error.title}>
          {error.message}
        </Notice>
      )}
      <AssigneeText operation={operation} />
      <OperationCause operation={operation} />
      <Notes operation={operation} />
      {isWriting && (
        <Suspense>
          <NoteDialog operationId={operationId} onClose={() => setWriting(false)} />
        </Suspense>
      )}
    </Section>
  )
}

/** Takes the operation with one press, where a phone shows it first. A refusal is a toast. */
export function TakeOperation({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { assign, assignTo, disabledReason, me } = useAssign(operation, (error) =>
    showToast({ tone: 'error', text: errorView(error).message }),
  )
  if (me === null) return null
  return (
    <Button
      icon="person"
      busy={assign.isPending}
      disabledReason={disabledReason}
      onClick={() => assignTo(me)}
    >
      {t('operations.assignee.me')}
    </Button>
  )
}

/** Assigns the operation. `me` is the ID of the person, or null if it is assigned to the person already. */
function useAssign(
  { operationId, assignee, installation }: OperationDetail,
  onError: (error: unknown) => void = () => undefined,
) {
  const t = useText()
  const { user } = useShell()
  const may = useMay('operation:annotate', installation)
  const assign = useWrite('PUT /operations/{operationId}/assignee', {
    invalidates: ['GET /operations/{operationId}', 'GET /operations'],
  })
  return {
    assign,
    assignTo: (id: string | null) =>
      assign.mutate(
        { params: { operationId }, body: { assignee: id, expected: assignee?.id ?? null } },
        { onError },
      ),
    disabledReason: may ? null : t('operations.assignee.permission'),
    me: user === null || assignee?.id === user.id ? null : user.id,
  }
}
