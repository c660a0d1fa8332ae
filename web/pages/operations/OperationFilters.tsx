import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../../api/query.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { TimeFilter } from '../../ui/filters/TimeFilter.tsx'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { personOptions, useKnownPeople } from '../../subjects/people/use-known-people.ts'
import { useText } from '../../i18n/use-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import type { SearchChange } from '#contract/console-api/pages/search-params.ts'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar, SelectFilter } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { recoveryCall } from '#contract/console-api/pages/overview.ts'
import { IN_DOUBT, NEXT_ACTORS, UNASSIGNED } from '#contract/console-api/vocabulary.ts'
import { OPERATION_STATES, OPERATION_TYPES, operationLook, PHASES } from '../../ui/states.ts'
import {
  operationsCall,
  operationsSearch,
  type OperationsSearch,
} from '#contract/console-api/pages/operations.ts'

interface Filtered {
  search: OperationsSearch
  onChange: (next: SearchChange<OperationsSearch>) => void
}

export function OperationFilters({
  search,
  onChange,
  onClear,
}: Filtered & { onClear: (() => void) | false }) {
  const t = useText()
  // of the frame: without a restore nobody needs a filter for it
  const frame = useQuery({ ...apiQuery('GET /recovery', recoveryCall), enabled: false })
  const recovered = (frame.data?.recovery ?? null) !== null
  return (
    <FilterBar
      search={
        <>
          <SearchInput
            label={t('operations.list.search')}
            value={search.q ?? ''}
            onSearch={(q) => onChange({ q: q || undefined })}
          />
          {/* so many filters need a line of their own */}
          <span className="basis-full max-sm:hidden" />
        </>
      }
      onClear={onClear}
    >
      {/* only failed operations have a cause */}
      {search.view !== 'causes' && (
        <ChoiceFilter
          label={t('operations.field.state')}
          value={search.state}
          choices={OPERATION_STATES.map((state) => {
            const { word, icon, tone } = operationLook[state]
            return { value: state, label: t(word), icon, tone }
          })}
          onChange={(state) => onChange({ state })}
        />
      )}
      <ChoiceFilter
        label={t('common.nextStep')}
        value={search.nextActor}
        choices={NEXT_ACTORS.map((actor) => ({ value: actor, label: t(`vocabulary.actor.${actor}`) }))}
        onChange={(nextActor) => onChange({ nextActor })}
      />
      <ChoiceFilter
        label={t('operations.field.type')}
        value={search.operationType}
        choices={OPERATION_TYPES.map((type) => ({ value: type, label: t(`vocabulary.type.${type}`) }))}
        onChange={(operationType) => onChange({ operationType })}
      />
      <ChoiceFilter
        label={t('operations.field.stage')}
        value={search.phase}
        choices={PHASES.map((phase) => ({ value: phase, label: t(`vocabulary.phase.${phase}`) }))}
        onChange={(phase) => onChange({ phase })}
      />
      <PersonFilters search={search} onChange={onChange} />
      {(search.inDoubt !== undefined || recovered) && (
        <SelectFilter
          label={t('operations.filter.inDoubt')}
          value={search.inDoubt}
          options={IN_DOUBT.map((value) => ({ value, label: t('operations.inDoubt') }))}
          onChange={(value) => onChange({ inDoubt: IN_DOUBT.find((one) => one === value) })}
        />
      )}
      <TimeFilter since={search.since} until={search.until} onChange={onChange} isRelative />
      <MoreFilters search={search} onChange={onChange} />
    </FilterBar>
  )
}

/** Who requested the operation, and who works on it: the people in the list, and the user. */
function PersonFilters({ search, onChange }: Filtered) {
  const t = useText()
  const { user } = useShell()
  // the query of the list
  const shown = useQuery({ ...apiQuery('GET /operations', operationsCall(search)), enabled: false })
  const people = useKnownPeople(
    shown.data?.items.flatMap(({ requestedBy, assignee }) => [
      requestedBy,
      ...(assignee ? [assignee] : []),
    ]) ?? [],
  )
  const withMe = user === null || people.some(({ id }) => id === user.id) ? people : [user, ...people]
  return (
    <>
      <SelectFilter
        label={t('operations.field.requestedBy')}
        value={search.requestedBy}
        options={personOptions(withMe, search.requestedBy)}
        onChange={(requestedBy) => onChange({ requestedBy })}
      />
      <SelectFilter
        label={t('operations.field.assignee')}
        value={search.assignee}
        options={[
          { value: UNASSIGNED, label: t('operations.assignee.nobody') },
          ...personOptions(withMe, search.assignee === UNASSIGNED ? undefined : search.assignee),
        ]}
        onChange={(assignee) => onChange({ assignee })}
      />
    </>
  )
}

/** The filters that are typed. What they suggest is read once they are opened. */
function MoreFilters({ search, onChange }: Filtered) {
  const t = useText()
  const scope = useScopeFilter(search)
  const [wanted, setWanted] = useState(false)
  const plugins = useQuery({
    ...apiQuery('GET /plugins', { query: { limit: 200 } }),
    enabled: wanted,
    refetchInterval: false,
  })
  return (
    <TextFilters
      label={t('operations.filter.more')}
      onOpen={() => {
        scope.ask()
        setWanted(true)
      }}
      // parsed like an address: an invalid workspace is ignored
      onChange={(values) => onChange({ ...values, ...operationsSearch(values) })}
      filters={[
        ...scope.filters,
        {
          name: 'pluginId',
          label: t('operations.filter.plugin'),
          value: search.pluginId,
          suggestions: plugins.data?.items.map(({ pluginId }) => pluginId),
        },
        {
          name: 'failedAt',
          label: t('operations.filter.failedAt'),
          value: search.failedAt,
          suggestions: plugins.data?.items.map(({ pluginId }) => pluginId),
        },
        {
          name: 'errorCode',
          label: t('operations.filter.errorCode'),
          value: search.errorCode,
          suggestions: KNOWN_CODES,
        },
        {
          name: 'bundleInstallId',
          label: t('operations.filter.installation'),
          value: search.bundleInstallId,
        },
        {
          name: 'bundleEnvironmentKey',
          label: t('installations.bundleEnvironment'),
          value: search.bundleEnvironmentKey,
        },
        { name: 'bundleId', label: t('installations.bundleId'), value: search.bundleId },
      ]}
    />
  )
}

/** The error codes of the runtime; plugins may use others. */
const KNOWN_CODES = [
  'PLUGIN_REPORTED_FAILURE',
  'PLUGIN_RESULT_UNKNOWN',
  'PLUGIN_RESPONSE_INVALID',
  'PLUGIN_NOT_REGISTERED',
  'PLUGIN_TIMEOUT',
  'PLUGIN_UNREACHABLE',
]
