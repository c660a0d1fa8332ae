import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { versionsSearch, type VersionsSearch } from '#contract/console-api/pages/versions.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../i18n/use-text.ts'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'

export function VersionFilters({
  search,
  onChange,
  onClear,
}: {
  search: VersionsSearch
  onChange: (next: SearchChange<VersionsSearch>) => void
  onClear: (() => void) | false
}) {
  const t = useText()
  const scope = useScopeFilter(search)
  return (
    <FilterBar
      search={
        <SearchInput
          label={t('versions.search')}
          value={search.q ?? ''}
          onSearch={(q) => onChange({ q: q || undefined })}
        />
      }
      onClear={onClear}
    >
      <ChoiceFilter
        label={t('versions.upgrade')}
        value={search.upgrade}
        choices={[{ value: 'available', label: t('versions.available'), icon: 'sortUp', tone: 'moved' }]}
        onChange={(upgrade) => onChange({ upgrade: upgrade === undefined ? undefined : 'available' })}
      />
      <TextFilters
        label={t('versions.scopeFilter')}
        onOpen={scope.ask}
        // parsed like an address: an invalid workspace is ignored
        onChange={(values) => onChange({ ...values, ...versionsSearch(values) })}
        filters={scope.filters}
      />
    </FilterBar>
  )
}
