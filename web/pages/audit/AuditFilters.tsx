import { AUDIT_ACTIONS } from '#contract/console-api/vocabulary.ts'
import type { Person } from '#contract/console-api/shapes.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { TimeFilter } from '../../ui/filters/TimeFilter.tsx'
import { personOptions } from '../../subjects/people/use-known-people.ts'
import { useText } from '../../i18n/use-text.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { FilterBar, SelectFilter } from '../../ui/filters/Filters.tsx'
import type { AuditSearch } from '#contract/console-api/pages/audit.ts'

export function AuditFilters({
  search,
  onChange,
  onClear,
  people,
}: {
  search: AuditSearch
  onChange: (next: SearchChange<AuditSearch>) => void
  onClear: (() => void) | false
  /** The people to choose from. */
  people: readonly Person[]
}) {
  const t = useText()
  return (
    <FilterBar onClear={onClear}>
      <SelectFilter
        label={t('audit.action')}
        value={search.action}
        options={AUDIT_ACTIONS.map((action) => ({ value: action, label: t(`audit.name.${action}`) }))}
        onChange={(value) => onChange({ action: AUDIT_ACTIONS.find((action) => action === value) })}
      />
      <SelectFilter
        label={t('audit.person')}
        value={search.actor}
        options={personOptions(people, search.actor)}
        onChange={(actor) => onChange({ actor })}
      />
      <TimeFilter since={search.since} until={search.until} onChange={onChange} />
      <TextFilters
        label={t('audit.actor.filter')}
        onChange={onChange}
        filters={[
          { name: 'actor', label: t('audit.actor'), value: search.actor },
          { name: 'bundleInstallId', label: t('audit.installation'), value: search.bundleInstallId },
        ]}
      />
    </FilterBar>
  )
}
