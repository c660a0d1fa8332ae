import { fieldOf } from '../../ui/keep-focus.ts'

/** Scrolls a control into view, opens whatever hides it, and focuses it. A group focuses its first input. */
export function focusControl(control: HTMLElement): void {
  let folded = control.closest('details')
  while (folded) {
    folded.open = true
    folded = folded.parentElement?.closest('details') ?? null
  }
  control.scrollIntoView({ block: 'center' })
  fieldOf(control).focus({ preventScroll: true })
}

/** Focuses the first field with an error, in page order. A field names its control in `data-invalid`. */
export function focusFirstInvalid(form: HTMLElement): void {
  const id = form.querySelector<HTMLElement>('[data-invalid]')?.dataset['invalid']
  const control = id === undefined ? null : document.getElementById(id)
  if (control) focusControl(control)
}
