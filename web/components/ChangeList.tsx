import type { PropertyChange } from '#contract/console-api/shapes.ts'
import { BeforeAfter, type Change } from '../ui/values/BeforeAfter.tsx'
import { LocatorText } from './LocatorText.tsx'

/** Changes of properties, before and after, each under the resource that it belongs to. */
export function ChangeList({ changes, label }: { changes: readonly PropertyChange[]; label: string }) {
  const rows = changes.map(({ locator, property, before, after }): Change => {
    const note = <LocatorText locator={locator} />
    return { id: `${locator} ${property}`, name: property, note, before, after }
  })
  return <BeforeAfter changes={rows} label={label} />
}
