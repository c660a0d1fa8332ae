import { useId, type ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import type { ErrorView } from '../i18n/describe-code.ts'
import { ErrorState } from './ErrorState.tsx'
import { Dialog } from './Dialog.tsx'

/**
 * A yes/no question before an irreversible action. On an error, it stays open and shows it. Use `ConfirmForm` to ask
 * for a reason or a typed word.
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
  /** Describes what will happen. */
  children: ReactNode
  /** The button's label: the action, not "OK". */
  confirm: string
  /** The label of the button that changes nothing; defaults to "Cancel". */
  cancel?: string
  danger?: boolean
  busy: boolean
  error: ErrorView | null | undefined
}) {
  const t = useText()
  const id = useId()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      busy={busy}
      describedBy={id}
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
        <div id={id} className="space-y-2">
          {children}
        </div>
        {error && <ErrorState error={error} />}
      </div>
    </Dialog>
  )
}
