import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { isProgram } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useMay } from '../../../../api/session.ts'
import { useWrite } from '../../../../api/write.ts'
import { useErrorView } from '../../../../i18n/describe-code.ts'
import { useKnownPeople } from '../../../../subjects/people/use-known-people.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { useShell } from '../../../../subjects/shell/shell-context.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Section } from '../../../../ui/Card.tsx'
import { Menu, MenuItem } from '../../../../ui/Menu.tsx'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { AssigneeText, Notes } from './Notes.tsx'

const NoteDialog = lazyPart(async () => (await import('./NoteDialog.tsx')).NoteDialog)

/** Who works on the operation, and the notes on it. A change is refused if someone else was faster. */
export function Assignment({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { user } = useShell()
  const { operationId, assignee, installation } = operation
  const may = useMay('operation:annotate', installation)
  const [isWriting, setWriting] = useState(false)
  const assign = useWrite('PUT /operations/{operationId}/assignee', {
    invalidates: ['GET /operations/{operationId}', 'GET /operations'],
  })
  const error = useErrorView(assign.error)
  const disabledReason = may ? null : t('operations.assignee.permission')
  const assignTo = (id: string | null) =>
    assign.mutate({ params: { operationId }, body: { assignee: id, expected: assignee?.id ?? null } })
  const isMine = user !== null && assignee?.id === user.id
  return (
    <Section
      title={t('operations.assignee.title')}
      flush
      actions={
        <>
          {!isMine && user !== null && (
            <Button
              size="sm"
              icon="person"
              busy={assign.isPending}
              disabledReason={disabledReason}
              onClick={() => assignTo(user.id)}
            >
              {t('operations.assignee.me')}
            </Button>
          )}
          {may && <AssignTo operation={operation} onChoose={assignTo} />}
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
      <Notes operation={operation} />
      {isWriting && (
        <Suspense>
          <NoteDialog operationId={operationId} onClose={() => setWriting(false)} />
        </Suspense>
      )}
    </Section>
  )
}

/** Assigns it to another person: one on this operation, or one who did something lately. */
function AssignTo({ operation, onChoose }: { operation: OperationDetail; onChoose: (id: string) => void }) {
  const t = useText()
  const [wanted, setWanted] = useState(false)
  const recent = useQuery({
    ...apiQuery('GET /audit', { query: { limit: 200 } }),
    enabled: wanted,
    refetchInterval: false,
  })
  const people = useKnownPeople([
    operation.requestedBy,
    ...operation.retries.map(({ startedBy }) => startedBy),
    ...(operation.notes ?? []).map(({ author }) => author),
    ...(recent.data?.items.map(({ actor: { id, name } }) => ({ id, name })) ?? []),
  ])
  return (
    <span onPointerEnter={() => setWanted(true)} onFocus={() => setWanted(true)}>
      <Menu
        label={t('operations.assignee.to')}
        renderTrigger={(props) => (
          <Button {...props} size="sm" icon="person">
            {t('operations.assignee.to')}
          </Button>
        )}
      >
        {people
          .filter(({ id }) => id !== operation.assignee?.id && !isProgram(id))
          .map(({ id, name }) => (
            <MenuItem key={id} onSelect={() => onChoose(id)}>
              {name}
            </MenuItem>
          ))}
      </Menu>
    </span>
  )
}
