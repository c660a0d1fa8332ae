import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { auditCall, type AuditSearch } from '#contract/console-api/pages/audit.ts'
import { AUDIT_ACTIONS } from '#contract/console-api/vocabulary.ts'
import type { Person } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { useKnownPeople, personOptions } from '../../subjects/people/use-known-people.ts'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { TimeFilter } from '../../ui/filters/TimeFilter.tsx'
import { FilterBar, SelectFilter } from '../../ui/filters/FilterBar.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { ListPager } from '../../ui/table/ListPager.tsx'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { AuditRow } from './AuditRow.tsx'

const route = getRouteApi('/audit')

/** Who did what, when and why, and what changed. */
export function AuditPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useSession()
  const may = useMay('audit:read', 'anywhere')
  // the query of the list
  const entries = useQuery({ ...apiQuery('GET /audit', auditCall(search)), enabled: false })
  const people = useKnownPeople(entries.data?.items.map(({ actor: { id, name } }) => ({ id, name })) ?? [])
  const { cursor: _, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<AuditSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, ...next }), replace: true, state: true })
  const clear = () => void navigate({ search: {} })
  if (session.data && !may) {
    return (
      <Page title={t('audit.title')}>
        <Card padded={false}>
          <EmptyState icon="lock" title={t('audit.forbidden.title')} message={t('audit.forbidden.message')} />
        </Card>
      </Page>
    )
  }
  return (
    <Page title={t('audit.title')} actions={<ViewsMenu page="audit" search={search} />}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <AuditFilters search={search} people={people} onChange={change} onClear={isFiltered && clear} />
      </div>
      <AuditList search={search} enabled={may} onClear={isFiltered && clear} />
    </Page>
  )
}

function AuditFilters({
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

/** The entries of a page. Each reads as a sentence, with its changes folded below it. */
function AuditList({
  search,
  enabled,
  onClear,
}: {
  search: AuditSearch
  /** Disabled until the person's permission is known. */
  enabled: boolean
  onClear: (() => void) | false
}) {
  const t = useText()
  const query = useQuery({
    ...apiQuery('GET /audit', auditCall(search)),
    placeholderData: keepPreviousData,
    enabled,
  })
  const error = useErrorView(query.error)
  if (error && !query.data)
    return <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
  if (!query.data) {
    return (
      <div className="rounded-lg border border-line p-4">
        <SkeletonLines lines={14} />
        <span className="sr-only">{t('common.loading')}</span>
      </div>
    )
  }
  const { items } = query.data
  return (
    <div className="rounded-lg border border-line bg-surface">
      {items.length === 0 ? (
        onClear ? (
          <EmptyState
            icon="filter"
            title={t('common.list.filtered.title')}
            message={t('common.list.filtered.message')}
            action={<Button onClick={onClear}>{t('common.clearFilters')}</Button>}
          />
        ) : (
          <EmptyState icon="audit" title={t('audit.empty.title')} message={t('audit.empty.message')} />
        )
      ) : (
        <ol
          aria-label={t('audit.list')}
          aria-busy={query.isPlaceholderData || undefined}
          className={cx('divide-y divide-line transition-opacity', query.isPlaceholderData && 'opacity-55')}
        >
          {items.map((entry) => (
            <AuditRow key={entry.sequence} entry={entry} />
          ))}
        </ol>
      )}
      {items.length > 0 && (
        <div className="border-t border-line px-4 py-2">
          <ListPager
            page={query.data}
            cursor={search.cursor}
            pageLink={(cursor) => paths.audit(omitUndefined({ ...search, cursor }))}
          />
        </div>
      )}
    </div>
  )
}
