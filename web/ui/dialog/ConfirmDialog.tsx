import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { ErrorState, type ErrorView } from '../ErrorState.tsx'
import { Dialog } from './Dialog.tsx'

/**
 * A question with two answers, before something that cannot be taken back. An error is shown in the dialog, which stays
 * open. What asks for a reason or a word is a `ConfirmForm`.
 */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  children,
  confirm,
  cancel,
  danger = false,
  busy,
  error,
}: {
  open: boolean
  onClose: () => void
  onConfirm: () => void
  title: ReactNode
  /** What will happen. */
  children: ReactNode
  /** The word on the button: what it does, not "OK". */
  confirm: string
  /** The word on the button that leaves everything as it is; by default "Cancel". */
  cancel?: string
  danger?: boolean
  busy: boolean
  error: ErrorView | null | undefined
}) {
  const t = useText()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      busy={busy}
      footer={
        <>
          <Button onClick={onClose} disabledReason={busy && t('common.loading')}>
            {cancel ?? t('common.cancel')}
          </Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="space-y-2">{children}</div>
        {error && <ErrorState error={error} />}
      </div>
    </Dialog>
  )
}
