import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useFormState, type FieldValues, type UseFormReturn } from 'react-hook-form'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../form/Form.tsx'
import { FormError } from '../form/FormError.tsx'
import type { SubmitError } from '../form/server-errors.ts'
import { PageGuard, useUnloadGuard } from '../form/LeaveGuard.tsx'

interface FormDialogProps<Values extends FieldValues> {
  form: UseFormReturn<Values>
  onSubmit: (values: Values) => Promise<void>
  /** True while the form is being sent. */
  busy: boolean
  /** The errors of the last submit that no field shows. */
  error: SubmitError | null
  title: ReactNode
  description?: ReactNode
  /** The id of an element of the form that describes the dialog, instead of a `description`. */
  describedBy?: string | undefined
  /** The button's label: the action, not "OK". */
  submit: string
  /** The action cannot be undone. */
  danger?: boolean
  size?: 'sm' | 'md' | 'lg'
  /** Why the form cannot be sent, whatever its fields contain. */
  blockedReason?: string | false | null | undefined
  /** What is still missing. The button looks disabled and shows this; pressing it focuses the field. */
  incompleteReason?: string | false | null | undefined
  /** Whether closing asks for confirmation; by default, whether anything was changed. */
  isDirty?: boolean
  /** Above the buttons, always visible, also while the content is scrolled. */
  footerNote?: ReactNode
  /** What the person can do about the error. */
  errorActions?: ReactNode
  onClose: () => void
  children: ReactNode
}

/**
 * A form in a dialog. It stays open and keeps its input until the server has accepted it. Closing it with unsaved
 * input, or leaving the page under it, asks for confirmation first.
 */
export function FormDialog<Values extends FieldValues>({
  form,
  onSubmit,
  busy,
  error,
  title,
  description,
  describedBy,
  submit,
  danger = false,
  size,
  blockedReason,
  incompleteReason,
  isDirty,
  footerNote,
  errorActions,
  onClose,
  children,
}: FormDialogProps<Values>) {
  const t = useText()
  const id = useId()
  const changed = useFormState({ control: form.control }).isDirty
  const hasInput = isDirty ?? changed
  const { isAsking, close, keep, discard, onLeave, withdraw } = useDiscardQuestion({ id, hasInput, onClose })
  return (
    <Dialog
      open
      // Escape closes the confirmation first
      onClose={isAsking ? keep : close}
      busy={busy}
      title={title}
      {...(description !== undefined && { description })}
      describedBy={describedBy}
      {...(size !== undefined && { size })}
      footer={
        isAsking ? (
          <DiscardQuestion onKeep={keep} onDiscard={discard} />
        ) : (
          <>
            {footerNote && (
              <div className="mr-auto min-w-0 basis-64 grow self-center max-sm:basis-full">{footerNote}</div>
            )}
            <Button onClick={close} disabledReason={busy && t('common.form.sending')}>
              {t('common.cancel')}
            </Button>
            <Button
              variant={danger ? 'danger' : 'primary'}
              type="submit"
              form={id}
              busy={busy}
              disabledReason={blockedReason || incompleteReason}
            >
              {submit}
            </Button>
          </>
        )
      }
    >
      <PageGuard
        // a successful submit navigates on its own
        isActive={hasInput && !busy}
        onLeave={onLeave}
      />
      <Form
        form={form}
        id={id}
        onSubmit={async (values) => {
          withdraw()
          await onSubmit(values)
        }}
        busy={busy}
        blockedReason={blockedReason}
        className="space-y-4"
      >
        {children}
        <FormError error={error} actions={errorActions} />
      </Form>
    </Dialog>
  )
}

/** Asks before input is lost: when the form with this id is closed, and when the page under it is left. */
function useDiscardQuestion({
  id,
  hasInput,
  onClose,
}: {
  id: string
  hasInput: boolean
  onClose: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  const focused = useRef<Element>(null)
  // set while a navigation waits for the answer
  const leave = useRef<(isStaying: boolean) => void>(null)
  useUnloadGuard(hasInput)
  const ask = () => {
    focused.current = document.activeElement
    setAsking(true)
  }
  const answer = (isStaying: boolean) => {
    leave.current?.(isStaying)
    leave.current = null
  }
  return {
    isAsking,
    close: () => (hasInput ? ask() : onClose()),
    keep: () => {
      setAsking(false)
      answer(true)
      const before = focused.current
      // the confirmation may have replaced the button that had the focus
      const target = before?.closest('form')
        ? before
        : document.getElementById(id)?.querySelector('input, textarea')
      if (target instanceof HTMLElement) target.focus()
    },
    discard: () => {
      onClose()
      answer(false)
    },
    onLeave: (decide: (isStaying: boolean) => void) => {
      leave.current = decide
      ask()
    },
    withdraw: () => setAsking(false),
  }
}

function DiscardQuestion({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const t = useText()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  return (
    <>
      <p role="alert" className="flex flex-1 items-center font-medium">
        {t('common.form.discard.question')}
      </p>
      <Button variant="dangerQuiet" onClick={onDiscard}>
        {t('common.form.discard.confirm')}
      </Button>
      <Button variant="primary" ref={button} onClick={onKeep}>
        {t('common.form.discard.keep')}
      </Button>
    </>
  )
}
