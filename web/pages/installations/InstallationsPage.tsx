import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import type { Batch, Installation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useListSelection } from '../../subjects/batch/use-list-selection.tsx'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { installationColumns } from './installation-columns.tsx'
import { InstallationFilters } from './InstallationFilters.tsx'
import { installationsCall, type InstallationsSearch } from '#contract/console-api/pages/installations.ts'
import { INSTALLATION_SORTS } from '#contract/console-api/vocabulary.ts'
import { useMedia } from '../../ui/use-media.ts'

const route = getRouteApi('/installations')

const ACTIONS = [
  { action: 'UPGRADE', icon: 'sortUp' },
  { action: 'CONFIGURE', icon: 'edit' },
  { action: 'DETACH', icon: 'detached' },
] as const

/** Windows whose rows are not cards, and have no room for the column of locks. */
const narrow = matchMedia('(43rem <= width < 79rem)')

export function InstallationsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /installations', installationsCall(search)),
    placeholderData: keepPreviousData,
  })
  const hasLocks = !useMedia(narrow)
  const columns = useMemo(() => installationColumns(t, hasLocks), [t, hasLocks])
  const mayInstall = useMay('installation:install', 'anywhere')
  const { sort, cursor, ...filters } = search
  const may = {
    UPGRADE: useMay('installation:upgrade', 'anywhere'),
    CONFIGURE: useMay('configuration:write', 'anywhere'),
    DETACH: useMay('installation:detach', 'anywhere'),
  }
  const actions = ACTIONS.filter(({ action }) => may[action])
  const selection = useListSelection({
    keyOf: rowKey,
    nameOf: rowName,
    loadPage: (page) =>
      callApi('GET /installations', { query: { ...omitUndefined({ ...filters, sort }), ...page } }),
  })
  const [chosen, setChosen] = useState<Batch['action'] | null>(null)
  const isFiltered = Object.keys(filters).length > 0
  // other filters start at the first page, and typing adds no history entries
  const change = (next: SearchChange<InstallationsSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, sort, ...next }), replace: true, state: true })
  const clear = () => void navigate({ search: omitUndefined({ sort }) })

  return (
    <Page
      title={t('installations.title')}
      actions={
        <>
          <ViewsMenu page="installations" search={search} />
          {mayInstall && (
            <LinkButton to={paths.installationNew()} variant="primary" icon="plus">
              {t('installations.install')}
            </LinkButton>
          )}
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <InstallationFilters search={search} onChange={change} onClear={isFiltered && clear} />
      </div>
      <QueryTable
        label={t('installations.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        sort={sort ?? INSTALLATION_SORTS[0]}
        onSort={(next) => change({ sort: INSTALLATION_SORTS.find((known) => known === next) })}
        cursor={cursor}
        pageLink={(at) => ({ ...paths.installations(omitUndefined({ ...search, cursor: at })), state: true })}
        onClear={isFiltered && clear}
        selection={actions.length === 0 ? undefined : selection.table}
        skeletonRows={12}
        empty={
          <EmptyState
            icon="installations"
            title={t('installations.empty.title')}
            message={t(mayInstall ? 'installations.empty.message' : 'installations.visible')}
            action={
              mayInstall && (
                <LinkButton to={paths.installationNew()} icon="plus">
                  {t('installations.install')}
                </LinkButton>
              )
            }
          />
        }
      />
      {selection.bar(
        actions.map(({ action, icon }) => (
          <Button
            key={action}
            icon={icon}
            variant={action === 'DETACH' ? 'dangerQuiet' : 'secondary'}
            onClick={() => setChosen(action)}
          >
            {t(`selection.action.${action}`)}
          </Button>
        )),
      )}
      {chosen !== null && (
        <Suspense>
          <LazyBatchDialog
            action={chosen}
            targets={selection.rows.map(({ installation, title, version }) => ({
              id: installation.bundleInstallId,
              installation,
              title,
              version,
            }))}
            onClose={() => setChosen(null)}
          />
        </Suspense>
      )}
    </Page>
  )
}

const rowName = ({ title, installation }: Installation) =>
  `${title ?? installation.bundle.bundleId} ${scopeText(installation)}`
const rowKey = ({ installation }: Installation) => installation.bundleInstallId
const rowLink = ({ installation }: Installation) => paths.installation(installation.bundleInstallId)
