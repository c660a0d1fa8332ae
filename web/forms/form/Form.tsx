import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { focusHome } from '../../ui/keep-focus.ts'
import { useFormState, type FieldValues, type UseFormReturn } from 'react-hook-form'
import { focusFirstInvalid } from './focus-field.ts'

const BusyContext = createContext(false)

/**
 * Whether the enclosing form is being sent. Its fields are read-only meanwhile, because later input would not be sent.
 */
export const useFormBusy = (): boolean => use(BusyContext)

/**
 * The form element of every form. Enter submits it, as does Ctrl or Cmd with Enter in a text area. It never sends twice
 * at the same time. After a submit that left errors, client-side or from the server, the first invalid field gets the
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
  /** Resolves when the server has responded. */
  onSubmit: (values: Values) => Promise<void>
  busy: boolean
  /** Why the form cannot be sent, whatever its fields contain. Shown at the submit button. */
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
    // `busy` changes with the next render, and a second Enter may come before it
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
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a keyboard shortcut for the text areas inside
    <form
      ref={element}
      {...focusHome()}
      id={id}
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        // React events bubble from a dialog to the form that rendered it
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

/** The button may be outside the form, in the footer of its dialog. */
function submitButtonOf(form: HTMLFormElement | null): HTMLButtonElement | undefined {
  return [...(form?.elements ?? [])].find(
    (element): element is HTMLButtonElement =>
      element instanceof HTMLButtonElement && element.type === 'submit',
  )
}
