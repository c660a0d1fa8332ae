import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { versionsSearch, type VersionsSearch } from '#contract/console-api/pages/versions.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useScopeSuggestions } from '../../subjects/scopes/use-scope-search.ts'
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
  const { ask, ...known } = useScopeSuggestions()
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
        onOpen={ask}
        // parsed like an address: an invalid workspace is ignored
        onChange={(values) => onChange({ ...values, ...versionsSearch(values) })}
        filters={[
          {
            name: 'environmentKey',
            label: t('versions.environment'),
            value: search.environmentKey,
            suggestions: known.environmentKey,
          },
          {
            name: 'applicationRuntimeId',
            label: t('versions.runtime'),
            value: search.applicationRuntimeId,
            suggestions: known.applicationRuntimeId,
          },
          {
            name: 'workspaceId',
            label: t('versions.workspace'),
            value: search.workspaceId === undefined ? undefined : String(search.workspaceId),
            suggestions: known.workspaceId,
          },
        ]}
      />
    </FilterBar>
  )
}
