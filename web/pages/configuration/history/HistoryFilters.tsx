import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { Person } from '#contract/console-api/shapes.ts'
import { TimeFilter } from '../../../components/TimeFilter.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { FilterBar, SelectFilter } from '../../../ui/Filters.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf, propertyNames } from '../editor/outline.ts'
import { propertyTitle, resourceTitle } from '../labels.ts'

/** Narrows the history by resource, property, person and time. */
export function HistoryFilters({
  search,
  people,
  onChange,
}: {
  search: ConfigurationSearch
  /** The people in the history as far as it is loaded. */
  people: readonly Person[]
  onChange: (next: SearchChange<ConfigurationSearch>) => void
}) {
  const t = useText()
  const { configuration } = useEditor()
  const { changedIn, changed, by, since, until } = search
  const resource = changedIn === undefined ? undefined : configuration.resources[changedIn]
  const isFiltered = [changedIn, changed, by, since, until].some((value) => value !== undefined)
  const known = by === undefined || people.some(({ id }) => id === by) ? [] : [{ id: by, name: by }]
  const byLabel = (one: { label: string }, other: { label: string }) => one.label.localeCompare(other.label)
  return (
    <FilterBar
      onClear={
        isFiltered &&
        (() =>
          onChange({
            changedIn: undefined,
            changed: undefined,
            by: undefined,
            since: undefined,
            until: undefined,
          }))
      }
    >
      <SelectFilter
        label={t('configuration.history.resource')}
        value={changedIn}
        options={Object.entries(configuration.resources)
          .map(([locator, one]) => ({ value: locator, label: resourceTitle(one, locator) }))
          .toSorted(byLabel)}
        onChange={(value) => onChange({ changedIn: value, changed: undefined })}
      />
      {resource !== undefined && (
        <SelectFilter
          label={t('configuration.history.property')}
          value={changed}
          options={propertyNames(resource)
            .map((name) => ({ value: name, label: propertyTitle(definitionOf(resource, name), name) }))
            .toSorted(byLabel)}
          onChange={(value) => onChange({ changed: value })}
        />
      )}
      <SelectFilter
        label={t('configuration.history.person')}
        value={by}
        options={[...people, ...known].map(({ id, name }) => ({ value: id, label: name })).toSorted(byLabel)}
        onChange={(value) => onChange({ by: value })}
      />
      <TimeFilter since={since} until={until} onChange={onChange} />
    </FilterBar>
  )
}
