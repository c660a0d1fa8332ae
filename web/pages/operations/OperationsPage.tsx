import { getRouteApi } from '@tanstack/react-router'
import type { OperationsSearch } from '#contract/console-api/pages/operations.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { LinkButton } from '../../ui/Link.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import { CauseBanner, CausesTable } from './causes/CausesTable.tsx'
import { FailureHours } from './causes/FailureHours.tsx'
import { OperationFilters } from './OperationFilters.tsx'
import { OperationsTable } from './OperationsTable.tsx'

const route = getRouteApi('/operations')

/** The operations, or the causes of those that failed, with the same filters. */
export function OperationsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { sort, cursor: _, view, when, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  // other filters start at the first page, and typing adds no history entries
  const change = (next: SearchChange<OperationsSearch>) =>
    void navigate({
      search: omitUndefined({ ...filters, sort, view, when, ...next }),
      replace: true,
      state: true,
    })
  const clear = () => void navigate({ search: omitUndefined({ sort, view, when }) })
  return (
    <Page
      title={t('operations.title')}
      actions={
        <>
          <ViewsMenu page="operations" search={search} />
          <LinkButton to={paths.receipt()} icon="audit">
            {t('operations.receipt.open')}
          </LinkButton>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t('operations.causes.view')}
          value={view === undefined ? 'operations' : (when ?? view)}
          options={[
            { value: 'operations', label: t('operations.causes.view.operations') },
            { value: 'causes', label: t('operations.causes.view.causes') },
            { value: 'past', label: t('operations.causes.view.past') },
          ]}
          onChange={(next) =>
            change({
              view: next === 'operations' ? undefined : 'causes',
              when: next === 'past' ? next : undefined,
            })
          }
        />
        <OperationFilters search={search} onChange={change} onClear={isFiltered && clear} />
      </div>
      {view === 'causes' ? (
        <>
          {when === undefined && <FailureHours search={search} />}
          <CausesTable search={search} onClear={isFiltered && clear} />
        </>
      ) : (
        <>
          {search.causeId !== undefined && <CauseBanner search={search} />}
          <OperationsTable search={search} onChange={change} onClear={isFiltered && clear} />
        </>
      )}
    </Page>
  )
}
