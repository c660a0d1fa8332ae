import { focusControl } from '../../../forms/form/focus-field.ts'

const TIMEOUT_MS = 2000

/** The id of a property's control. One form is mounted at a time, so the property's name is enough. */
export const controlId = (property: string): string => `property-${property}`
/** The id of the title of a property. */
export const labelId = (property: string): string => `${controlId(property)}-label`
export const rowId = (property: string): string => `row-${property}`

/** Focuses a property's field as soon as it exists: its form may not be mounted yet. */
export function focusProperty(property: string): void {
  const until = performance.now() + TIMEOUT_MS
  const look = () => {
    const row = document.getElementById(rowId(property))
    const control = document.getElementById(controlId(property))
    if (row !== null && control !== null) {
      focusControl(control)
      row.scrollIntoView({ block: 'center' })
    } else if (performance.now() < until) requestAnimationFrame(look)
    else row?.scrollIntoView({ block: 'center' })
  }
  look()
}
