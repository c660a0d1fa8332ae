import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { Person } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { TimeFilter } from '../../../ui/filters/TimeFilter.tsx'
import { personOptions, useKnownPeople } from '../../../subjects/people/use-known-people.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useShell } from '../../../subjects/shell/shell-context.ts'
import { FilterBar, SelectFilter } from '../../../ui/filters/FilterBar.tsx'
import { PEOPLE } from '../draft/endpoints.ts'
import { useEditor } from '../editor/editor-context.ts'
import { propertyOptions, resourceOptions } from './filter-options.ts'

/** Narrows the history by resource, property, person and time. */
export function HistoryFilters({
  search,
  people,
  onChange,
}: {
  search: ConfigurationSearch
  /** The people in the loaded part of the history; others are added as it loads. */
  people: readonly Person[]
  onChange: (next: SearchChange<ConfigurationSearch>) => void
}) {
  const t = useText()
  const { user } = useShell()
  const { configuration } = useEditor()
  const { changedIn, changed, by, since, until } = search
  const isFiltered = [changedIn, changed, by, since, until].some((value) => value !== undefined)
  const all = useQuery(apiQuery(PEOPLE, { params: configuration.scope })).data?.items ?? []
  const known = useKnownPeople([...(user === null ? [] : [user]), ...people, ...all])
  const resources = useMemo(() => resourceOptions(configuration, changedIn), [configuration, changedIn])
  const properties = useMemo(
    () => propertyOptions(configuration, changedIn, changed),
    [configuration, changedIn, changed],
  )
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
        options={resources}
        onChange={(value) =>
          // a property that the resource does not have would find nothing
          onChange({
            changedIn: value,
            ...(!propertyOptions(configuration, value, undefined).some((one) => one.value === changed) && {
              changed: undefined,
            }),
          })
        }
      />
      <SelectFilter
        label={t('configuration.history.property')}
        value={changed}
        options={properties}
        onChange={(value) => onChange({ changed: value })}
      />
      <SelectFilter
        label={t('configuration.history.person')}
        value={by}
        options={personOptions(known, by)}
        onChange={(value) => onChange({ by: value })}
      />
      <TimeFilter since={since} until={until} onChange={onChange} />
    </FilterBar>
  )
}
