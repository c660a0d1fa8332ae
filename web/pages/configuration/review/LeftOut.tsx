import { useText } from '../../../i18n/use-text.ts'
import type { Draft } from '../draft/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../draft/outline.ts'
import { LEFT } from '../../../subjects/arrival/left.ts'
import { PlaceList } from '../../../subjects/arrival/PlaceList.tsx'
import { propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import { isTaken, type Arrival, type Offer } from '../draft/arrival.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

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
  const { configuration } = useEditor()
  const titleOf = ({ locator, property }: PropertyPlace) => {
    const resource = configuration.resources[locator]
    return `${resourceTitle(resource, locator)} · ${propertyTitle(definitionOf(resource, property), property)}`
  }
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
        <PlaceList
          key={bound}
          titleOf={titleOf}
          text={(count) => t(`configuration.arrival.waiting.${bound ?? 'dropped'}`, { n: count })}
          places={waiting.filter((offer) => offer.bound === bound)}
          isOpen
        />
      ))}
      {LEFT.map((why) => (
        <PlaceList
          key={why}
          titleOf={titleOf}
          text={(count) => t(`configuration.restore.${why}`, { n: count })}
          places={left.filter((one) => one.why === why)}
        />
      ))}
      <PlaceList
        titleOf={titleOf}
        text={(count) => t('configuration.arrival.replaced', { n: count })}
        places={replaced}
        isOpen
      />
    </section>
  )
}
