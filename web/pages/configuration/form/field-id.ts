const PATIENCE_MS = 2000

/** The id of a property's control; one form is mounted at a time, so the property's name is enough. */
export const fieldId = (property: string): string => `property-${property}`
export const rowId = (property: string): string => `row-${property}`

const FOCUSABLE = 'input, select, textarea, button, pre[tabindex], [tabindex="-1"]'

/** Puts the focus into a property's field as soon as the field is there: its form may still be on its way. */
export function focusField(property: string): void {
  const until = performance.now() + PATIENCE_MS
  const look = () => {
    const row = document.getElementById(rowId(property))
    const control = document.getElementById(fieldId(property))
    if (row !== null && control !== null) {
      row.scrollIntoView({ block: 'center' })
      const target = control.matches('[role="group"]')
        ? (control.querySelector<HTMLElement>(FOCUSABLE) ?? control)
        : control
      target.focus({ preventScroll: true })
    } else if (performance.now() < until) requestAnimationFrame(look)
    else row?.scrollIntoView({ block: 'center' })
  }
  look()
}
