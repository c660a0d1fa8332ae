import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { scopesCall, type ScopesSearch } from '#contract/console-api/pages/scopes.ts'
import type { EnvironmentMark } from '#contract/console-api/rows.ts'
import type { ScopeRow } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { useStoredDrafts, type StoredDraft } from '../../subjects/drafts/stored-drafts.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { joinClauses } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { EnvironmentDot } from '../../ui/EnvironmentMark.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton, PlainLink } from '../../ui/Link.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Nothing } from '../../ui/Nothing.tsx'
import { Time } from '../../ui/Time.tsx'
import { toneText } from '../../ui/tone.ts'

const route = getRouteApi('/scopes')

export function ScopesPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /scopes', scopesCall(search)),
    placeholderData: keepPreviousData,
  })
  const { user, environmentMarks } = useShell()
  const drafts = useStoredDrafts(user?.id)
  const columns = useMemo(
    () => scopeColumns(t, { drafts, marks: environmentMarks }),
    [t, drafts, environmentMarks],
  )
  const { cursor, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<ScopesSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, ...next }), replace: true })
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('scopes.title')}
      lead={t('scopes.about')}
      actions={
        <LinkButton to={paths.properties()} icon="search">
          {t('properties.title')}
        </LinkButton>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar
          search={
            <SearchInput
              label={t('scopes.search')}
              value={search.q ?? ''}
              onSearch={(q) => change({ q: q || undefined })}
            />
          }
          onClear={isFiltered && clear}
        >
          <TextFilters
            label={t('common.scope.environmentKey')}
            onChange={change}
            filters={[
              {
                name: 'environmentKey',
                label: t('common.scope.environmentKey'),
                value: search.environmentKey,
                suggestions: [...new Set(query.data?.items.map((scope) => scope.environmentKey))],
              },
            ]}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('scopes.list')}
        query={query}
        columns={columns}
        rowKey={scopeText}
        rowLink={paths.configuration}
        cursor={cursor}
        pageLink={(at) => paths.scopes(omitUndefined({ ...search, cursor: at }))}
        onClear={isFiltered && clear}
        empty={
          <EmptyState icon="scopes" title={t('scopes.empty.title')} message={t('scopes.empty.message')} />
        }
      />
    </Page>
  )
}

const partsOf = ({ environmentKey, applicationRuntimeId, workspaceId }: ScopeRow) => ({
  environmentKey,
  applicationRuntimeId,
  workspaceId,
})

const scopeColumns = (
  t: Translate,
  { drafts, marks }: { drafts: readonly StoredDraft[]; marks: readonly EnvironmentMark[] },
): Column<ScopeRow>[] => [
  {
    id: 'scope',
    header: t('scopes.column.scope'),
    cell: (scope) => {
      const edits = drafts
        .filter((draft) => scopeText(draft.scope) === scopeText(scope))
        .reduce((sum, draft) => sum + draft.edits, 0)
      return (
        <span className="inline-flex max-w-full items-center gap-x-2 gap-y-1 @max-[40rem]/table:flex-wrap">
          <ScopeText scope={scope} />
          <EnvironmentDot
            mark={marks.find(({ environmentKey }) => environmentKey === scope.environmentKey)}
          />
          {edits > 0 && <Badge icon="edit">{t('shell.drafts.count', { n: edits })}</Badge>}
        </span>
      )
    },
  },
  {
    id: 'installations',
    header: t('scopes.column.installations'),
    cell: (scope) => (
      <PlainLink
        to={paths.installations(partsOf(scope))}
        aria-label={t('scopes.link.installations', { n: scope.installations, scope: scopeText(scope) })}
        className="target inline-block min-w-6 rounded-sm hover:underline"
      >
        {scope.installations}
      </PlainLink>
    ),
    align: 'end',
    width: '7rem',
  },
  {
    id: 'snapshot',
    header: t('scopes.column.snapshot'),
    cell: (scope) => (
      <PlainLink
        to={paths.configuration(scope, { tab: 'history' })}
        className="target inline-block min-w-6 rounded-sm tabular-nums hover:underline"
      >
        {scope.snapshotVersion}
      </PlainLink>
    ),
    align: 'end',
    width: '6rem',
  },
  {
    id: 'claimed',
    header: t('scopes.column.locked'),
    cell: (scope) =>
      scope.claimed === 0 ? (
        <Nothing />
      ) : (
        <PlainLink
          to={paths.installations({ ...partsOf(scope), claim: 'any' })}
          // it begins with what is in view
          aria-label={joinClauses(t, [
            scope.failed > 0 && t('scopes.failed', { n: scope.failed }),
            t('scopes.link.locked', { n: scope.claimed, scope: scopeText(scope) }),
          ])}
          className="target inline-flex items-center gap-1.5 rounded-sm hover:underline"
        >
          <Icon
            name={scope.failed > 0 ? 'failed' : 'lock'}
            size={12}
            className={scope.failed > 0 ? toneText.fail : toneText.doubt}
          />
          {scope.failed > 0
            ? t('scopes.failed', { n: scope.failed })
            : t('scopes.locked', { n: scope.claimed })}
        </PlainLink>
      ),
    width: '8rem',
    card: 'wide',
  },
  {
    id: 'changed',
    header: t('scopes.column.changed'),
    cell: ({ savedAt, savedBy }) => (
      <span className="block truncate text-muted">
        <Time at={savedAt} inRow />
        {'\u00a0· '}
        {savedBy.name}
      </span>
    ),
    width: '17rem',
    hideBelow: 'lg',
    card: 'wide',
  },
  {
    id: 'links',
    header: t('scopes.column.links'),
    headerHidden: true,
    cell: (scope) => (
      // beside the scope, which most people come for
      <PlainLink
        to={paths.localServices(scope)}
        className="target rounded-sm text-muted hover:text-ink hover:underline"
      >
        {t('scopes.link.localServices')}
      </PlainLink>
    ),
    align: 'end',
    width: '8rem',
    hideBelow: 'md',
    card: 'wide',
  },
]
