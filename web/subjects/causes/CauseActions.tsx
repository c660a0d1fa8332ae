import { Suspense, useState } from 'react'
import type { Cause } from '#contract/console-api/shapes.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { showToast } from '../../ui/toast.ts'
import { AssignMenu } from '../people/AssignMenu.tsx'
import { useShell } from '../shell/shell-context.ts'
import type { CauseDialogKind } from './CauseDialog.tsx'

const CauseDialog = lazyPart(async () => (await import('./CauseDialog.tsx')).CauseDialog)

/** The reads that show a cause. */
export const CAUSE_READS = ['GET /causes', 'GET /causes/{causeId}'] as const

/** What a person does with a cause: take it or give it away, let it wait, say what solved it, add a note. */
export function CauseActions({ cause, size = 'sm' }: { cause: Cause; size?: 'sm' | 'md' }) {
  const t = useText()
  const { user } = useShell()
  const may = useMay('operation:annotate', 'anywhere')
  const [dialog, setDialog] = useState<CauseDialogKind | null>(null)
  const change = useWrite('PATCH /causes/{causeId}', { invalidates: CAUSE_READS })
  const disabledReason = may ? null : t('operations.assignee.permission')
  const { causeId, updatedAt, assignee, state } = cause
  const save = (body: { assignee?: string | null; state?: Cause['state'] }) =>
    change.mutate(
      { params: { causeId }, body: { updatedAt, ...body } },
      { onError: (error) => showToast({ tone: 'error', text: errorView(error).message }) },
    )
  const isMine = user !== null && assignee?.id === user.id
  const assignTo = (id: string) => save({ assignee: id, ...(state === 'NEW' && { state: 'TAKEN' as const }) })
  return (
    <>
      {!isMine && user !== null && state !== 'SOLVED' && (
        <Button
          size={size}
          icon="person"
          busy={change.isPending}
          disabledReason={disabledReason}
          onClick={() => assignTo(user.id)}
        >
          {t('operations.assignee.me')}
        </Button>
      )}
      {may && (
        <AssignMenu
          size={size}
          people={assignee === null ? [] : [assignee]}
          except={assignee?.id}
          onChoose={assignTo}
        />
      )}
      <Button size={size} icon="edit" disabledReason={disabledReason} onClick={() => setDialog('note')}>
        {/* on a phone, all of them are in one row */}
        <span className="max-sm:sr-only">{t('operations.notes.add')}</span>
      </Button>
      {may && (
        <Menu
          label={t('operations.cause.change')}
          renderTrigger={(props) => (
            <Button {...props} size={size} icon="more" label={t('operations.cause.change')} />
          )}
        >
          {assignee !== null && (
            <MenuItem icon="undo" onSelect={() => save({ assignee: null, state: 'NEW' })}>
              {t('operations.assignee.remove')}
            </MenuItem>
          )}
          <MenuItem icon="waiting" onSelect={() => setDialog('wait')}>
            {t('operations.cause.wait')}
          </MenuItem>
          <MenuItem icon="done" onSelect={() => setDialog('solve')}>
            {t('operations.cause.solve')}
          </MenuItem>
        </Menu>
      )}
      {dialog !== null && (
        <Suspense>
          <CauseDialog kind={dialog} cause={cause} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </>
  )
}
