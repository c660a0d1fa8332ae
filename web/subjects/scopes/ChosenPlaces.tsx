import { parseScope } from './scope-text.ts'
import { ScopeText } from './ScopeText.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Mono } from '../../ui/Id.tsx'

/** The scopes and environments that a person has chosen, as texts, each with a button that removes it. */
export function ChosenPlaces({
  label,
  places,
  onRemove,
}: {
  label: string
  places: readonly string[]
  onRemove: (place: string) => void
}) {
  const t = useText()
  if (places.length === 0) return null
  return (
    <ul aria-label={label} className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto">
      {places.map((place) => {
        const scope = parseScope(place)
        return (
          <li
            key={place}
            className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2"
          >
            {scope === null ? <Mono className="truncate">{place}</Mono> : <ScopeText scope={scope} />}
            <Button
              size="sm"
              variant="quiet"
              icon="close"
              label={t('common.scope.remove', { place })}
              onClick={() => onRemove(place)}
            />
          </li>
        )
      })}
    </ul>
  )
}
