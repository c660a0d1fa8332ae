import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/Icon.tsx'
import type { Draft, PropertyPlace } from '../draft/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../draft/outline.ts'
import { LEFT } from '../draft/restore.ts'
import { propertyTitle, resourceTitle } from '../draft/labels.ts'
import { isTaken, type Arrival, type Offer } from '../draft/arrival.ts'

const BOUND = ['domain', 'address', 'service', 'issued', null] as const

/** What a copy left out, by reason, and the unsaved changes that it replaced. */
export function LeftOut({
  arrival: { left, replaced },
  offers,
  draft,
}: {
  arrival: Arrival
  offers: readonly Offer[]
  draft: Draft
}) {
  const t = useText()
  const waiting = offers.filter((offer) => !isTaken(offer, draft))
  const n = waiting.length + left.length
  if (n + replaced.length === 0) return null
  return (
    <section
      aria-label={t('configuration.arrival.label')}
      className="rounded-md border border-line-strong bg-sunken px-4 py-2.5"
    >
      {n > 0 && <p className="font-semibold">{t('configuration.arrival.left', { n })}</p>}
      {BOUND.map((bound) => (
        <Places
          key={bound}
          text={(count) => t(`configuration.arrival.waiting.${bound ?? 'dropped'}`, { n: count })}
          places={waiting.filter((offer) => offer.bound === bound)}
          isOpen
        />
      ))}
      {LEFT.map((why) => (
        <Places
          key={why}
          text={(count) => t(`configuration.restore.${why}`, { n: count })}
          places={left.filter((one) => one.why === why)}
        />
      ))}
      <Places text={(count) => t('configuration.arrival.replaced', { n: count })} places={replaced} isOpen />
    </section>
  )
}

function Places({
  text,
  places,
  isOpen = false,
}: {
  text: (n: number) => string
  places: readonly PropertyPlace[]
  isOpen?: boolean
}) {
  const { configuration } = useEditor()
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
        {places.map(({ locator, property }) => {
          const resource = configuration.resources[locator]
          return (
            <li key={`${locator} ${property}`} className="wrap-anywhere">
              {resourceTitle(resource, locator)} · {propertyTitle(definitionOf(resource, property), property)}
            </li>
          )
        })}
      </ul>
    </details>
  )
}
