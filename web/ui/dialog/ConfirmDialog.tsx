import { useState, type ReactNode } from 'react'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { ErrorState, type ErrorView } from '../ErrorState.tsx'
import { Field } from '../Field.tsx'
import { TextArea, TextInput } from '../TextInput.tsx'
import { Dialog } from './Dialog.tsx'

type Answer = { reason: string }

/**
 * Asks before something that cannot be taken back. It can ask for a reason, and for a word to be typed. An error is
 * shown in the dialog, which stays open.
 */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  children,
  confirm,
  danger = false,
  busy,
  error,
  reason,
  word,
}: {
  open: boolean
  onClose: () => void
  onConfirm: (answer: Answer) => void
  title: ReactNode
  /** What will happen. */
  children: ReactNode
  /** The word on the button: what it does, not "OK". */
  confirm: string
  danger?: boolean
  busy: boolean
  error: ErrorView | null | undefined
  /** Asks for a reason under this label. */
  reason?: { label: string; required: boolean }
  /** Must be typed before the button works. */
  word?: string
}) {
  const t = useText()
  const rich = useRichText()
  const [given, setGiven] = useState('')
  const [typed, setTyped] = useState('')
  const reasonMissing = reason?.required === true && given.trim() === ''
  const wordMissing = word !== undefined && typed.trim() !== word
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      busy={busy}
      footer={
        <>
          <Button onClick={onClose} disabledReason={busy && t('common.loading')}>
            {t('common.cancel')}
          </Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            busy={busy}
            disabledReason={
              (reasonMissing && t('common.confirm.reasonMissing')) ||
              (wordMissing && t('common.confirm.type', { word: word ?? '' }))
            }
            onClick={() => onConfirm({ reason: given.trim() })}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="space-y-2">{children}</div>
        {reason && (
          <Field label={reason.label} need={reason.required ? 'required' : 'optional'}>
            {(wiring) => (
              <TextArea
                {...wiring}
                value={given}
                maxLength={1000}
                onChange={(event) => setGiven(event.target.value)}
              />
            )}
          </Field>
        )}
        {word !== undefined && (
          <Field
            label={rich('common.confirm.type', { word: <span className="mono font-semibold">{word}</span> })}
          >
            {(wiring) => (
              <TextInput {...wiring} code value={typed} onChange={(event) => setTyped(event.target.value)} />
            )}
          </Field>
        )}
        {error && <ErrorState error={error} />}
      </div>
    </Dialog>
  )
}
