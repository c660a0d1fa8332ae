import type { PropertyPlace } from '../../forms/property/property-place.ts'
import { Icon } from '../../ui/Icon.tsx'

/** Properties under one heading, such as why they were left out; folded unless `isOpen`. Shows nothing if there are none. */
export function PlaceList({
  text,
  places,
  titleOf,
  isOpen = false,
}: {
  text: (n: number) => string
  places: readonly PropertyPlace[]
  titleOf: (place: PropertyPlace) => string
  isOpen?: boolean
}) {
  if (places.length === 0) return null
  return (
    <details open={isOpen} className="group mt-1">
      <summary className="flex min-h-6 items-start gap-1 rounded-sm">
        <Icon
          name="chevronRight"
          size={12}
          className="mt-1 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        {text(places.length)}
      </summary>
      <ul className="mb-1 ml-4 text-xs text-muted">
        {places.map((place) => (
          <li key={`${place.locator} ${place.property}`} className="wrap-anywhere">
            {titleOf(place)}
          </li>
        ))}
      </ul>
    </details>
  )
}
