const FOCUSABLE = 'input, select, textarea, button, pre[tabindex], [tabindex="-1"]'

/** Brings a control into view, out of whatever folds it, and gives it the focus; a group passes it to its first input. */
export function focusControl(control: HTMLElement): void {
  let folded = control.closest('details')
  while (folded) {
    folded.open = true
    folded = folded.parentElement?.closest('details') ?? null
  }
  control.scrollIntoView({ block: 'center' })
  const target = control.matches('[role="group"]')
    ? (control.querySelector<HTMLElement>(FOCUSABLE) ?? control)
    : control
  target.focus({ preventScroll: true })
}

/** Gives the focus to the first field with an error, in the order of the page. A field names its control in `data-invalid`. */
export function focusFirstInvalid(form: HTMLElement): void {
  const id = form.querySelector<HTMLElement>('[data-invalid]')?.dataset['invalid']
  const control = id === undefined ? null : document.getElementById(id)
  if (control) focusControl(control)
}
