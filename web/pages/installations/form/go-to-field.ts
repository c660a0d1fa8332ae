/** Brings a field into view, out of what folds it, and gives it the focus. */
export function goToField(id: string): void {
  const field = document.getElementById(id)
  const folded = field?.closest('details')
  if (folded) folded.open = true
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
