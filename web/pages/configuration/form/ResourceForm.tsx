import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useWatch } from 'react-hook-form'
import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import { LocatorText } from '../../../ui/Id.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { useFirstItems } from '../../../ui/FirstItems.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useIsOpening } from '../../../ui/opening.ts'
import { viewAt } from '../draft/draft.ts'
import { useEditor, focusProperty } from '../editor/editor-context.ts'
import { kindIcon, propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import {
  definitionOf,
  groupNames,
  isNarrowed,
  leftovers,
  matchingProperties,
  originOf,
  propertyNames,
  type Filter,
  type Marks,
  type NameGroup,
} from '../draft/outline.ts'
import { useUnapplied, LeftoverField } from './LeftoverField.tsx'
import { blocksOf } from './property-blocks.ts'
import { GoneEdits } from './GoneForm.tsx'
import { draftEditIn } from '../draft/draft-form.ts'
import { EditorField } from './EditorField.tsx'
import { NearBlock, type BlockRow } from './NearBlock.tsx'
import { zoneProperty, zoneOfProperty } from './time-zone-property.ts'

/** A form with more properties than this renders only the fields near the viewport. */
const LAZY_ABOVE = 60
/** A form with more properties than this, in several groups, begins with a list of the groups. */
const INDEX_ABOVE = 15

/** The least height of a field, in px. */
const ROW_HEIGHT = 55

/** The form of one resource; only one is mounted at a time. */
export const ResourceForm = memo(function ResourceForm({
  locator,
  resource,
  filter,
  marks,
  focusOn,
  onClearFilter,
}: {
  locator: string
  resource: ConfigurationResource
  filter: Filter
  /** The marks of this resource; set only if the filter needs them. */
  marks: Marks | undefined
  /** The property in the URL. */
  focusOn: string | undefined
  onClearFilter: () => void
}) {
  const t = useText()
  const { store } = useEditor()
  const names = useShownNames({ locator, resource }, filter, marks)
  const total = propertyNames(resource).length
  const gone = useGoneEdits(locator, resource)
  const left = leftovers(resource, names).filter((name) => !gone.includes(name))
  const groups = groupNames(resource, names)

  useEffect(() => {
    if (focusOn !== undefined) focusProperty(focusOn)
  }, [focusOn])

  // a field that is removed while focused gets no blur event
  useEffect(() => () => store.leaveAll(), [store])

  return (
    <section
      aria-labelledby="resource-title"
      className="@container/form min-w-0 [&_:is(a,button,input,select,textarea)]:scroll-my-36"
    >
      <Heading locator={locator} resource={resource} />
      {gone.length > 0 && (
        <section aria-label={t('configuration.conflict.gone.property')} className="mb-4">
          <Notice tone="warn">{t('configuration.conflict.gone.property')}</Notice>
          <GoneEdits locator={locator} properties={gone} />
        </section>
      )}
      {isNarrowed(filter) && names.length < total && (
        <p className="mb-2 flex flex-wrap items-center gap-x-3 text-xs text-muted" role="status">
          {t('configuration.form.narrowed', { shown: names.length, total })}
          <Button size="sm" variant="quiet" onClick={onClearFilter}>
            {t('configuration.form.showAll')}
          </Button>
        </p>
      )}
      {groups.length > 2 && total > INDEX_ABOVE && <GroupIndex groups={groups} />}
      {total === 0 && <p className="text-muted">{t('configuration.form.noProperties')}</p>}
      <div className="space-y-8">
        <Groups locator={locator} resource={resource} names={names} focusOn={focusOn} />
        {left.length > 0 && <Leftovers locator={locator} resource={resource} names={left} />}
      </div>
    </section>
  )
})

interface OfResource {
  locator: string
  resource: ConfigurationResource
}

/** The properties that match the filter. While the person types in a field, it stays even if it no longer does. */
function useShownNames({ locator, resource }: OfResource, filter: Filter, marks: Marks | undefined) {
  const { store } = useEditor()
  const staying = useSyncExternalStore(store.subscribe, () =>
    filter.show === undefined ? undefined : store.activeProperty(locator),
  )
  return useMemo(() => {
    const matching = matchingProperties({ locator, resource }, filter, marks)
    return staying === undefined ? matching : [...new Set([...matching, staying])]
  }, [locator, resource, filter, marks, staying])
}

/** Edits of properties that an upgrade has removed. */
function useGoneEdits(locator: string, resource: ConfigurationResource): string[] {
  const { store } = useEditor()
  // as a text, which does not change with each key press
  const names = useSyncExternalStore(store.subscribe, () =>
    Object.entries(store.current()[locator] ?? {})
      .filter(([name, { edit }]) => definitionOf(resource, name) === undefined && edit.kind !== 'removed')
      .map(([name]) => name)
      .join(' '),
  )
  return names === '' ? [] : names.split(' ')
}

function Heading({ locator, resource }: OfResource) {
  const t = useText()
  return (
    <header className="mb-4">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Icon name={kindIcon[resource.kind]} className="text-muted" />
        <h2
          id="resource-title"
          tabIndex={-1}
          className="text-lg font-semibold tracking-tight outline-none wrap-anywhere"
        >
          {resourceTitle(resource, locator)}
        </h2>
        <Badge>{t(`vocabulary.kind.${resource.kind}`)}</Badge>
      </div>
      <div className="mt-1 flex items-center gap-1">
        <LocatorText locator={locator} />
        <CopyButton text={locator} label={t('common.id.copy', { id: locator })} />
      </div>
    </header>
  )
}

/** The fields by group. Of a long form, only those near the window are rendered. */
function Groups({
  locator,
  resource,
  names,
  focusOn,
}: OfResource & { names: readonly string[]; focusOn: string | undefined }) {
  const t = useText()
  const rowOf = useRows(locator, resource)
  const groups = groupNames(resource, names)
  const blocks = useMemo(() => {
    const shown = new Set(names)
    return new Map(
      groupNames(resource, propertyNames(resource)).map(({ name, properties }) => [
        name,
        blocksOf(properties, (property) => shown.has(property)),
      ]),
    )
  }, [resource, names])
  const isOpening = useIsOpening()
  const isLong = propertyNames(resource).length > LAZY_ABOVE
  const inOrder = groups.flatMap(({ properties }) => properties)
  const fitting = Math.ceil(window.innerHeight / ROW_HEIGHT)
  // a property in the URL is scrolled to the middle of the window
  const first = focusOn === undefined ? 0 : Math.max(0, inOrder.indexOf(focusOn) - Math.ceil(fitting / 2))
  const inWindow = isOpening ? inOrder.slice(first, first + fitting) : []
  // the last field is always rendered, so that Shift+Tab enters the form at its end
  const wanted = new Set([focusOn, ...inWindow, ...inOrder.slice(-1)])
  return groups.map((group) => {
    const title = group.name === '' ? t('configuration.form.ungrouped') : group.name
    return (
      <section key={group.name} aria-label={title}>
        {(group.name !== '' || groups.length > 1) && (
          <h3
            id={groupId(group.name)}
            tabIndex={-1}
            className="scroll-mt-16 border-b border-line-strong pb-1.5 text-md font-semibold outline-none"
          >
            {title}
          </h3>
        )}
        <div className="@min-[42rem]/form:pt-2">
          {blocks.get(group.name)?.map(({ key, properties }) => (
            <NearBlock
              key={key}
              isWanted={(!isLong && !isOpening) || properties.some((name) => wanted.has(name))}
              rows={properties.flatMap(rowOf)}
            />
          ))}
        </div>
      </section>
    )
  })
}

/** The row of a property; none of one that an upgrade has removed. */
function useRows(locator: string, resource: ConfigurationResource): (property: string) => BlockRow[] {
  const { form } = useEditor()
  const zoneName = zoneProperty(resource)
  const zoneEdit = useWatch({ control: form.control, name: `edits.${fieldId(locator, zoneName ?? '')}` })
  const zone =
    zoneName === undefined ? undefined : zoneOfProperty(draftEditIn(zoneEdit), viewAt(resource, zoneName))
  const unapplied = useUnapplied(resource.claim, locator)
  return (property) => {
    const definition = definitionOf(resource, property)
    if (definition === undefined) return []
    const { writtenBy } = resource
    const field = (
      <EditorField
        locator={locator}
        property={property}
        kind={resource.kind}
        definition={definition}
        view={viewAt(resource, property)}
        writtenBy={Object.hasOwn(writtenBy, property) ? writtenBy[property] : undefined}
        managedBy={resource.managedBy?.[property]}
        setBy={resource.sensitiveSet?.[property]}
        origin={originOf(resource, property)}
        isLocked={resource.claim !== null}
        isUnapplied={unapplied.has(property)}
        zone={definition.schema !== undefined ? zone : undefined}
      />
    )
    return [{ key: property, title: propertyTitle(definition, property), field }]
  }
}

/** Values of properties that the version does not have. */
function Leftovers({ locator, resource, names }: OfResource & { names: readonly string[] }) {
  const t = useText()
  const { shown, more } = useFirstItems(names, LAZY_ABOVE)
  return (
    <section aria-labelledby="leftovers">
      <h3 id="leftovers" className="border-b border-line-strong pb-1.5 text-md font-semibold">
        {t('configuration.form.leftovers')}
      </h3>
      <p className="mt-1.5 mb-1 max-w-[72ch] text-xs text-muted">{t('configuration.form.leftovers.help')}</p>
      {shown.map((property) => (
        <LeftoverField
          key={property}
          locator={locator}
          property={property}
          view={viewAt(resource, property)}
          isLocked={resource.claim !== null}
        />
      ))}
      {more}
    </section>
  )
}

const groupId = (name: string): string => `group-${name}`

/** The groups of a long form; each button leads to the heading of its group. */
function GroupIndex({ groups }: { groups: readonly NameGroup[] }) {
  const t = useText()
  return (
    <nav aria-label={t('configuration.form.groups')} className="mb-4 flex flex-wrap gap-x-1 gap-y-1">
      {groups.map(({ name, properties }) => (
        <button
          key={name}
          type="button"
          onClick={() => {
            const heading = document.getElementById(groupId(name))
            heading?.focus({ preventScroll: true })
            heading?.scrollIntoView({ block: 'start' })
          }}
          className="inline-flex min-h-7 items-center gap-1.5 rounded-md border border-line px-2 text-xs font-medium hover:bg-hover"
        >
          {name === '' ? t('configuration.form.ungrouped') : name}
          <span className="text-faint tabular-nums">{properties.length}</span>
        </button>
      ))}
    </nav>
  )
}
