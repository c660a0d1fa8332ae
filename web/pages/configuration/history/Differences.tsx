import { useState } from 'react'
import type { Configuration, PropertyChange, PropertyView } from '#contract/console-api/shapes.ts'
import { propertyTitle, resourceTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import { labelled } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useFirstItems } from '../../../ui/FirstItems.tsx'
import { BeforeAfter, SideHead } from '../../../ui/value/BeforeAfter.tsx'
import type { SideNames } from '../../../ui/value/LeafChanges.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../draft/outline.ts'
import type { Bound } from '../../../subjects/scopes/place-bound.ts'
import { restore } from '../draft/restore.ts'
import { useRestore } from '../editor/use-restore.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

const SHOWN = 200

export const keyOf = ({ locator, property }: PropertyPlace): string => `${locator} ${property}`

/** What differs between two configurations, by resource. The values that may be put into the draft can be selected. */
export function Differences({
  action,
  changes,
  values,
  sides,
  resourceOf,
}: {
  /** How the buttons call it: restore earlier values, or take those of another scope. */
  action: 'restore' | 'take'
  changes: readonly PropertyChange[]
  /** The values that may be put into the draft. */
  values: readonly (PropertyPlace & { value: PropertyView | null; bound?: Bound | null })[]
  /** What the two are called where neither is older. */
  sides?: SideNames
  /** For the titles. */
  resourceOf: (locator: string) => Configuration['resources'][string] | undefined
}) {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const putAll = useRestore()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const available = mayWrite ? values : []
  const keys = new Set(available.map(keyOf))
  const bounds = new Map(available.map((value) => [keyOf(value), value.bound ?? null]))
  /** What may be selected together; the others belong to another place, and are selected one by one. */
  const free = available.filter(({ bound = null }) => bound === null)
  const taken = available.filter((value) => chosen.has(keyOf(value)))
  const toggle = (key: string, isChosen: boolean) =>
    setChosen((known) => {
      const next = new Set(known)
      if (isChosen) next.add(key)
      else next.delete(key)
      return next
    })
  const { shown, more } = useFirstItems(changes, SHOWN)
  if (changes.length === 0) return <p className="text-muted">{t('configuration.compare.same')}</p>
  return (
    <div className="@container/changes space-y-3">
      {sides !== undefined && (
        // stays in view above the resources
        <SideHead sides={sides} className="sticky top-(--bar-height) z-10 rounded-lg border border-line" />
      )}
      {[...Map.groupBy(shown, ({ locator }) => locator)].map(([locator, ofResource]) => {
        const resource = resourceOf(locator)
        const title = resourceTitle(resource, locator)
        return (
          <div key={locator}>
            <p className="mb-1 text-muted">{title}</p>
            <BeforeAfter
              label={t('configuration.plan.changesOf', { resource: title })}
              sides={sides}
              hasHead={false}
              most={ofResource.length}
              changes={ofResource.map((change) => {
                const key = keyOf(change)
                const name = propertyTitle(definitionOf(resource, change.property), change.property)
                const bound = bounds.get(key) ?? null
                const word = t(`configuration.compare.${action}`)
                return {
                  id: change.property,
                  name: <span className="font-sans text-sm">{name}</span>,
                  before: change.before,
                  after: change.after,
                  nameOf: placeNamer(definitionOf(resource, change.property), t),
                  note: keys.has(key) && (
                    <>
                      <Checkbox
                        aria-label={labelled(t, word, `${name} · ${title}`)}
                        checked={chosen.has(key)}
                        onChange={({ target }) => toggle(key, target.checked)}
                      >
                        {word}
                      </Checkbox>
                      {bound !== null && (
                        <span className="block">{t(`configuration.arrival.bound.${bound}`)}</span>
                      )}
                    </>
                  ),
                }
              })}
            />
          </div>
        )
      })}
      {more}
      {available.length > 0 && (
        <p className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            disabledReason={taken.length === 0 && t(`configuration.compare.${action}.nothing`)}
            onClick={() =>
              // each was selected by hand, also one that belongs to another place
              putAll(
                restore(
                  taken.map((value) => ({ ...value, bound: null })),
                  configuration,
                  store.current(),
                ),
              )
            }
          >
            {taken.length === 0
              ? t(`configuration.compare.${action}.selected`)
              : t(`configuration.compare.${action}.chosen`, { n: taken.length })}
          </Button>
          {free.length > 0 && (
            <Button onClick={() => setChosen(new Set(free.map(keyOf)))}>
              {t('configuration.compare.chooseAll', { n: free.length })}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}
