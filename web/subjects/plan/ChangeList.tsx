import type { ReactNode } from 'react'
import type { AuditEntry, PropertyView } from '#contract/console-api/shapes.ts'
import { StructuredValue } from '../../forms/property/StructuredValue.tsx'
import { placeNamer } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { Card } from '../../ui/Card.tsx'
import { useFirstItems } from '../../ui/FirstItems.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { BeforeAfter, WithAction } from '../../ui/value/BeforeAfter.tsx'
import { LocatorText } from '../../ui/Id.tsx'
import type { Titles } from '../manifest/use-titles.ts'
import { PropertyName } from '../manifest/PropertyName.tsx'

/** A change of a property, or of a field of the subject itself. */
type Change = AuditEntry['changes'][number]

/**
 * Changes of properties, before and after, grouped by resource. A resource that is completely added or removed
 * shows only one side, instead of many "not set".
 */
export function ChangeList({
  changes,
  label,
  titles = NO_TITLES,
  isOnlyAfter = false,
  noteOn,
  actionOn,
}: {
  changes: readonly Change[]
  label: string
  /** The titles of resources and properties; default: only their names are shown. */
  titles?: Titles
  /** What was there before is not known. */
  isOnlyAfter?: boolean
  /** A note below the name of the property. */
  noteOn?: ((change: Change) => ReactNode) | undefined
  /** A button at the end of the line of the property. */
  actionOn?: ((change: Change) => ReactNode) | undefined
}) {
  const { shown, more } = useFirstItems(changes, SHOWN)
  const all = byLocator(changes)
  return (
    <>
      <ul aria-label={label} className="space-y-3">
        {[...byLocator(shown)].map(([locator, ofResource]) => (
          <li key={locator}>
            <ResourceChanges
              locator={locator}
              label={locator ?? label}
              changes={ofResource}
              all={all.get(locator) ?? ofResource}
              titles={titles}
              isOnlyAfter={isOnlyAfter}
              noteOn={noteOn}
              actionOn={actionOn}
            />
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

const SHOWN = 200

function ResourceChanges({
  locator,
  label,
  changes,
  all,
  titles: { titleOf, definitionOf },
  isOnlyAfter,
  noteOn,
  actionOn,
}: {
  locator: string | null
  label: string
  changes: readonly Change[]
  /** Also those that are not shown. */
  all: readonly Change[]
  titles: Titles
  isOnlyAfter: boolean
  noteOn: ((change: Change) => ReactNode) | undefined
  actionOn: ((change: Change) => ReactNode) | undefined
}) {
  const t = useText()
  const isNew = all.every(({ before }) => isUnset(before))
  const isGone = !isNew && all.every(({ after }) => isUnset(after))
  const title = titleOf(locator)
  const noteOf = (change: Change): ReactNode =>
    change.isPutAside ? t('common.value.putAside') : noteOn?.(change)
  return (
    <>
      <p className="mb-1 flex flex-wrap items-baseline gap-x-2">
        {title !== undefined && <span className="font-medium">{title}</span>}
        {locator !== null && <LocatorText locator={locator} />}
        {!isOnlyAfter && (isNew || isGone) && (
          <span className="text-xs text-faint">{t(isNew ? 'common.diff.new' : 'common.diff.gone')}</span>
        )}
      </p>
      {isNew || isGone ? (
        <Card padded={false} className="px-4 py-2">
          <DefinitionList
            most={changes.length}
            items={changes.map((change) => ({
              label: (
                <>
                  <PropertyName name={change.property} title={titleOf(locator, change.property)} />
                  {noteOf(change) !== undefined && <span className="block text-xs">{noteOf(change)}</span>}
                </>
              ),
              value: (
                <WithAction action={actionOn?.(change)}>
                  <StructuredValue
                    value={isNew ? change.after : change.before}
                    definition={definitionOf(locator, change.property)}
                  />
                </WithAction>
              ),
            }))}
          />
        </Card>
      ) : (
        <BeforeAfter
          label={label}
          most={changes.length}
          changes={changes.map((change) => ({
            id: change.property,
            name: <PropertyName name={change.property} title={titleOf(locator, change.property)} />,
            before: change.before,
            after: change.after,
            nameOf: placeNamer(definitionOf(locator, change.property), t),
            note: noteOf(change),
            action: actionOn?.(change),
          }))}
        />
      )}
    </>
  )
}

const NO_TITLES: Titles = { titleOf: () => undefined, definitionOf: () => undefined }

const isUnset = (value: PropertyView | null) => value === null || ('isSensitive' in value && !value.isSet)

const byLocator = (changes: readonly Change[]) => Map.groupBy(changes, ({ locator }) => locator)
