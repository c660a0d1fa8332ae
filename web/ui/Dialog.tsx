import { useId, useRef, type ReactNode, type RefObject, type SyntheticEvent } from 'react'
import { createPortal } from 'react-dom'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { cx } from './class-names.ts'
import { EnvironmentWord } from './EnvironmentMark.tsx'
import { focusHome, keepFieldInView } from './keep-focus.ts'
import { useModal } from './use-modal.ts'

export type DialogProps = {
  open: boolean
  /** Called on Escape, on a press outside the dialog and on its close button; not while `busy`. */
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  /** The id of an element in the dialog that describes it, instead of a `description`. */
  describedBy?: string | undefined
  children?: ReactNode
  /** The buttons, the primary one last. */
  footer?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /** Work is in progress, and the dialog must not be closed by accident. */
  busy?: boolean
  /** Gets the focus first; by default the first input, or else the dialog. */
  initialFocus?: RefObject<HTMLElement | null>
}

const WIDTH = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-4xl' }

/**
 * A modal dialog. It is a native one: the page behind it is inert, the one opened last is on top, and closing it
 * restores the focus. It is rendered at the end of the document, where no ancestor can hide or restyle it.
 */
export function Dialog(props: DialogProps) {
  return props.open && createPortal(<OpenDialog {...props} />, document.body)
}

function OpenDialog({
  onClose,
  title,
  description,
  describedBy,
  children,
  footer,
  size = 'md',
  busy = false,
  initialFocus,
}: DialogProps) {
  const t = useText()
  const id = useId()
  const pressedOn = useRef<EventTarget>(null)
  const lastFocused = useRef<HTMLElement>(null)
  // neither the close button nor the choice of a file, which would otherwise be the first candidates
  const dialog = useModal(
    (shown) =>
      initialFocus?.current ??
      shown.querySelector<HTMLElement>('input:not([type="file"]), textarea, select') ??
      shown,
  )

  const close = () => {
    if (!busy) onClose()
  }
  const refuseToCancel = (event: SyntheticEvent) => {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    // a cancellation that cannot be prevented is followed by the close event
    if (event.cancelable) close()
  }
  // a browser does not allow two cancellations in a row; whether the dialog closes is for its owner to decide
  const reopen = ({ target, currentTarget }: SyntheticEvent<HTMLDialogElement>) => {
    if (target !== currentTarget || currentTarget.open) return
    const focused = lastFocused.current
    currentTarget.showModal()
    focused?.focus()
    close()
  }

  return (
    // a press outside the dialog is for the mouse; the keyboard has Escape
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      {...focusHome()}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : describedBy}
      onCancel={refuseToCancel}
      onClose={reopen}
      onFocus={({ target, currentTarget }) => {
        // focus events of a nested dialog arrive here too
        if (currentTarget.contains(target)) lastFocused.current = target
      }}
      onPointerDown={(event) => (pressedOn.current = event.target)}
      onClick={({ target, currentTarget }) => {
        // the backdrop is part of the dialog element; a text selection may start inside and end there
        if (target === currentTarget && pressedOn.current === currentTarget) close()
      }}
      className={cx(
        'mx-auto mt-auto max-h-[92dvh] w-full max-w-none animate-appear flex-col rounded-t-lg bg-raised text-sm shadow-3 outline-none open:flex',
        // its title and first field stay where they are while a plan below them loads
        'sm:mt-[10dvh] sm:mb-auto sm:max-h-[82dvh] sm:w-[calc(100%-2rem)] sm:rounded-lg',
        // in a low window, header and footer would leave a few lines between them
        'low:mt-auto low:max-h-dvh low:scroll-py-5 low:overflow-y-auto low:open:block',
        WIDTH[size],
      )}
    >
      <div className="flex items-start gap-4 px-5 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <h2 id={`${id}-title`} className="text-lg font-semibold tracking-tight wrap-anywhere">
            {title}
          </h2>
          {description && (
            <p id={`${id}-description`} className="mt-0.5 text-muted">
              {description}
            </p>
          )}
        </div>
        <span className="-mt-0.5 -mr-2">
          <Button variant="quiet" icon="close" label={t('common.close')} onClick={close} />
        </span>
      </div>
      {children && (
        // what is placed absolutely in it, such as texts for screen readers, scrolls with it and not the whole dialog
        <div className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain scroll-py-5 px-5 pt-1 pb-5 low:overflow-visible">
          <div ref={keepFieldInView}>{children}</div>
        </div>
      )}
      {footer && (
        <div className="flex flex-wrap justify-end gap-2 rounded-b-lg border-t border-line bg-sunken px-5 py-3">
          <EnvironmentWord className="mr-auto self-center" />
          {footer}
        </div>
      )}
    </dialog>
  )
}
