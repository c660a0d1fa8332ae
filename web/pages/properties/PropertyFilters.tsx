import { propertiesSearch, type PropertiesSearch } from '#contract/console-api/pages/properties.ts'
import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { useText } from '../../i18n/use-text.ts'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar, FilterChip, SelectFilter } from '../../ui/filters/FilterBar.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { TimeFilter } from '../../ui/filters/TimeFilter.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'
import { isReferenceShape } from '../../forms/property/property-value.ts'

/** How long ago a value was set last. */
const AGES = [30, 90, 180, 365] as const

export function PropertyFilters({
  search,
  onChange,
  onClear,
}: {
  search: PropertiesSearch
  onChange: (next: SearchChange<PropertiesSearch>) => void
  onClear: (() => void) | false
}) {
  const t = useText()
  const scope = useScopeFilter(search)
  const age = AGES.find((days) => search.until === `P${days}D` && search.since === undefined)
  return (
    <FilterBar onClear={onClear}>
      <ChoiceFilter
        label={t('properties.column.origin')}
        value={search.origin}
        choices={[
          { value: 'setHere', label: t('properties.origin.setHere'), icon: 'edit' },
          { value: 'default', label: t('properties.origin.default'), icon: 'minus' },
        ]}
        onChange={(origin) => onChange({ origin })}
      />
      <SelectFilter
        label={t('properties.age')}
        value={age === undefined ? undefined : String(age)}
        options={AGES.map((days) => ({ value: String(days), label: t('properties.age.days', { n: days }) }))}
        onChange={(days) =>
          onChange({ since: undefined, until: days === undefined ? undefined : `P${days}D` })
        }
      />
      <TimeFilter
        since={search.since}
        until={age === undefined ? search.until : undefined}
        isRelative
        onChange={onChange}
      />
      <TextFilters
        label={t('properties.scopeFilter')}
        onOpen={scope.ask}
        onChange={(values) => onChange({ ...values, ...propertiesSearch(values) })}
        filters={scope.filters}
      />
      {(['equals', 'differs'] as const).map(
        (name) =>
          search[name] !== undefined && (
            <FilterChip
              key={name}
              label={t(`properties.${name}`)}
              value={<PropertyValueView value={parseFilterValue(search[name])} />}
              onRemove={() => onChange({ [name]: undefined })}
            />
          ),
      )}
    </FilterBar>
  )
}

/** A typed value in an address; null if it is none, which the server refuses with the reason. */
function parseFilterValue(text: string): PropertyRow['value'] {
  try {
    const value: unknown = JSON.parse(text)
    const isData = isJsonObject(value) && value['@type'] === 'Data' && 'value' in value
    return isData || isReferenceShape(value) ? (value as PropertyRow['value']) : null
  } catch {
    return null
  }
}
