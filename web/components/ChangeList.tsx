import type { PropertyChange } from '#contract/console-api/shapes.ts'
import { BeforeAfter } from '../ui/values/BeforeAfter.tsx'
import { LocatorText } from './LocatorText.tsx'

/** Changes of properties, before and after, under the resources that they belong to. */
export function ChangeList({ changes, label }: { changes: readonly PropertyChange[]; label: string }) {
  return (
    <ul aria-label={label} className="space-y-3">
      {[...byLocator(changes)].map(([locator, ofResource]) => (
        <li key={locator}>
          <p className="mb-1">
            <LocatorText locator={locator} />
          </p>
          <BeforeAfter
            label={locator}
            changes={ofResource.map(({ property, before, after }) => ({
              id: property,
              name: property,
              before,
              after,
            }))}
          />
        </li>
      ))}
    </ul>
  )
}

function byLocator(changes: readonly PropertyChange[]): Map<string, PropertyChange[]> {
  const groups = new Map<string, PropertyChange[]>()
  for (const change of changes) groups.set(change.locator, [...(groups.get(change.locator) ?? []), change])
  return groups
}
