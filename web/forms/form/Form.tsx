import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { useFormState, type FieldValues, type UseFormReturn } from 'react-hook-form'
import { focusFirstInvalid } from './focus-field.ts'

const BusyContext = createContext(false)

/** Whether the form around is being sent: what is typed then would not be part of it, so its fields are read-only. */
export const useFormBusy = (): boolean => use(BusyContext)

/**
 * The form element of every form. Enter submits it, and Ctrl or Cmd with Enter inside a text of several lines. It is never
 * sent twice at a time. After a submit that left errors, the checks' or the server's, the first invalid field has the
 * focus. The page shows the errors, not the browser.
 */
export function Form<Values extends FieldValues>({
  form,
  id,
  onSubmit,
  busy,
  blockedReason,
  className,
  children,
}: {
  form: UseFormReturn<Values>
  id?: string
  /** Resolves when the server has answered. */
  onSubmit: (values: Values) => Promise<void>
  busy: boolean
  /** Why it cannot be sent, whatever its fields hold. The submit button says it. */
  blockedReason?: string | false | null | undefined
  className?: string
  children: ReactNode
}) {
  const element = useRef<HTMLFormElement>(null)
  const isSending = useRef(false)
  const { submitCount, errors } = useFormState({ control: form.control })
  const focusInvalid = useEffectEvent(() => {
    if (element.current && Object.keys(errors).length > 0) focusFirstInvalid(element.current)
  })
  useEffect(() => {
    if (submitCount > 0) focusInvalid()
  }, [submitCount])

  const submit = async () => {
    // `busy` comes with the next render; a second Enter may be faster
    if (busy || isSending.current) return
    if (blockedReason) return submitButtonOf(element.current)?.focus()
    isSending.current = true
    try {
      await form.handleSubmit(onSubmit)()
    } finally {
      isSending.current = false
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut of the text areas inside
    <form
      ref={element}
      id={id}
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        // events of a dialog reach the form that it was opened from
        event.stopPropagation()
        void submit()
      }}
      onKeyDown={submitFromTextArea}
    >
      <BusyContext value={busy}>{children}</BusyContext>
    </form>
  )
}

function submitFromTextArea(event: KeyboardEvent<HTMLFormElement>): void {
  const isShortcut = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  if (!isShortcut || !(event.target instanceof HTMLTextAreaElement)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

/** The button may be outside of the form, in the footer of its dialog. */
function submitButtonOf(form: HTMLFormElement | null): HTMLButtonElement | undefined {
  return [...(form?.elements ?? [])].find(
    (element): element is HTMLButtonElement =>
      element instanceof HTMLButtonElement && element.type === 'submit',
  )
}
