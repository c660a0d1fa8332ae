import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { scopesCall } from '#contract/console-api/pages/scopes.ts'
import type { ScopeRow } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { useStoredDrafts, type StoredDraft } from '../../subjects/drafts/stored-drafts.ts'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton, PlainLink, TextLink } from '../../ui/Link.tsx'
import type { Column } from '../../ui/table/column.ts'
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
  const drafts = useStoredDrafts(useShell().user?.id)
  const columns = useMemo(() => scopeColumns(t, drafts), [t, drafts])
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('scopes.title')}
      meta={<p>{t('scopes.about')}</p>}
      actions={
        <LinkButton to={paths.properties()} icon="search">
          {t('properties.title')}
        </LinkButton>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar>
          <TextFilters
            label={t('scopes.environment')}
            onChange={(values) => void navigate({ search: omitUndefined(values), replace: true })}
            filters={[
              {
                name: 'environmentKey',
                label: t('scopes.environment'),
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
        cursor={search.cursor}
        pageLink={(cursor) => paths.scopes(omitUndefined({ ...search, cursor }))}
        onClear={search.environmentKey !== undefined && clear}
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

const scopeColumns = (t: Translate, drafts: readonly StoredDraft[]): Column<ScopeRow>[] => [
  {
    id: 'scope',
    header: t('scopes.column.scope'),
    cell: (scope) => {
      const draft = drafts.find((one) => scopeText(one.scope) === scopeText(scope))
      return (
        <span className="inline-flex max-w-full flex-wrap items-center gap-x-2 gap-y-1">
          <ScopeText scope={scope} />
          {draft !== undefined && <Badge icon="edit">{t('shell.drafts.count', { n: draft.edits })}</Badge>}
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
    width: '7.5rem',
  },
  {
    id: 'claimed',
    header: t('scopes.column.locked'),
    cell: (scope) =>
      scope.claimed === 0 ? (
        <span className="text-faint">{t('scopes.locked.none')}</span>
      ) : (
        <PlainLink
          to={paths.installations({ ...partsOf(scope), claim: 'any' })}
          aria-label={t('scopes.link.locked', { n: scope.claimed, scope: scopeText(scope) })}
          className="target inline-flex items-center gap-1.5 rounded-sm hover:underline"
        >
          <Icon name="lock" size={12} className={toneText.doubt} />
          {scope.claimed}
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
    width: '7rem',
  },
  {
    id: 'links',
    header: t('scopes.column.links'),
    headerHidden: true,
    cell: (scope) => <TextLink to={paths.localServices(scope)}>{t('scopes.link.localServices')}</TextLink>,
    align: 'end',
    width: '10rem',
    card: 'wide',
  },
]
