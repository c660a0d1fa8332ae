import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../i18n/use-text.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { CLAIM_STATES, claimLook, INSTALLATION_STATES, installationLook } from '../../ui/states.ts'
import { installationsSearch, type InstallationsSearch } from '#contract/console-api/pages/installations.ts'

export function InstallationFilters({
  search,
  onChange,
  onClear,
}: {
  search: InstallationsSearch
  onChange: (next: SearchChange<InstallationsSearch>) => void
  onClear: (() => void) | false
}) {
  const t = useText()
  const scope = useScopeFilter(search)
  const states = INSTALLATION_STATES.map((state) => {
    const { word, icon, tone } = installationLook[state]
    return { value: state, label: t(word), icon, tone }
  })
  const claims = CLAIM_STATES.map((state) => {
    const { word, icon, tone } = claimLook[state]
    return { value: state, label: t(word), icon, tone }
  })
  return (
    <FilterBar
      search={
        <SearchInput
          label={t('installations.search')}
          value={search.q ?? ''}
          onSearch={(q) => onChange({ q: q || undefined })}
        />
      }
      onClear={onClear}
    >
      <ChoiceFilter
        label={t('installations.column.state')}
        value={search.state}
        choices={states}
        onChange={(state) => onChange({ state })}
      />
      <ChoiceFilter
        label={t('installations.lock.filter')}
        value={search.claim}
        choices={[
          { value: 'none', label: t('vocabulary.lock.none') },
          { value: 'any', label: t('installations.lock.any') },
          ...claims,
        ]}
        onChange={(claim) => onChange({ claim })}
      />
      <ChoiceFilter
        label={t('installations.update.filter')}
        value={search.upgrade}
        choices={[
          { value: 'available', label: t('installations.update.available'), icon: 'sortUp', tone: 'moved' },
          { value: 'none', label: t('installations.update.none'), icon: 'check', tone: 'ok' },
        ]}
        onChange={(upgrade) => onChange({ upgrade })}
      />
      <ChoiceFilter
        label={t('installations.safeguard.filter')}
        value={search.safeguard}
        choices={[
          { value: 'protected', label: t('installations.safeguard.protected'), icon: 'lock' },
          { value: 'pinned', label: t('installations.safeguard.pinned'), icon: 'bookmark' },
        ]}
        onChange={(safeguard) => onChange({ safeguard })}
      />
      <TextFilters
        label={t('installations.scopeFilter')}
        onOpen={scope.ask}
        // parsed like an address: an invalid workspace is ignored
        onChange={(values) => onChange({ ...values, ...installationsSearch(values) })}
        filters={[
          ...scope.filters,
          {
            name: 'bundleEnvironmentKey',
            label: t('installations.bundleEnvironment'),
            value: search.bundleEnvironmentKey,
          },
          { name: 'bundleId', label: t('installations.bundleId'), value: search.bundleId },
          { name: 'version', label: t('installations.version'), value: search.version },
        ]}
      />
    </FilterBar>
  )
}
