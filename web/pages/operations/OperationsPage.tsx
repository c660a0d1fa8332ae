import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useListSelection } from '../../components/batch/use-list-selection.tsx'
import { lazyForm } from '../../components/lazy-part.ts'
import { QueryTable } from '../../components/QueryTable.tsx'
import { scopeText } from '../../components/scope-text.ts'
import { useKnownPeople } from '../../components/use-known-people.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { LinkButton } from '../../ui/Link.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { operationColumns } from './columns.tsx'
import { OperationFilters } from './OperationFilters.tsx'
import {
  OPERATION_SORTS,
  operationsCall,
  type OperationsSearch,
} from '#contract/console-api/pages/operations.ts'

const route = getRouteApi('/operations')
const BatchDialog = lazyForm(async () => (await import('../../components/batch/BatchDialog.tsx')).BatchDialog)

export function OperationsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /operations', operationsCall(search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => operationColumns(t), [t])
  const people = useKnownPeople(query.data?.items.map(({ requestedBy }) => requestedBy) ?? [])
  const { sort, cursor, ...filters } = search
  const mayRetry = useMay('operation:retry', 'anywhere')
  const selection = useListSelection({
    keyOf: rowKey,
    nameOf: rowName,
    loadPage: (page) =>
      callApi('GET /operations', { query: { ...omitUndefined({ ...filters, sort }), ...page } }),
  })
  const [isRetrying, setRetrying] = useState(false)
  const failed = selection.rows.filter(({ state }) => state === 'FAILED')
  const isFiltered = Object.keys(filters).length > 0
  // other filters start at the first page, and typing adds no history entries
  const change = (next: SearchChange<OperationsSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, sort, ...next }), replace: true })
  const clear = () => void navigate({ search: omitUndefined({ sort }) })
  return (
    <Page
      title={t('operations.title')}
      actions={
        <LinkButton to={paths.receipt()} icon="audit">
          {t('operations.receipt.open')}
        </LinkButton>
      }
    >
      <div className="mb-3">
        <OperationFilters search={search} people={people} onChange={change} onClear={isFiltered && clear} />
      </div>
      <QueryTable
        label={t('operations.list.label')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        sort={sort ?? OPERATION_SORTS[0]}
        onSort={(next) => change({ sort: OPERATION_SORTS.find((known) => known === next) })}
        cursor={cursor}
        pageLink={(at) => paths.operations(omitUndefined({ ...search, cursor: at }))}
        onClear={isFiltered && clear}
        selection={mayRetry ? selection.table : undefined}
        skeletonRows={12}
        empty={
          <EmptyState
            icon="operations"
            title={t('operations.list.empty')}
            message={t('operations.list.empty.message')}
          />
        }
      />
      {selection.bar(
        <Button
          icon="retry"
          disabledReason={failed.length === 0 && t('batches.select.noneFailed')}
          onClick={() => setRetrying(true)}
        >
          {t('batches.action.RETRY')}
        </Button>,
      )}
      {isRetrying && (
        <Suspense>
          <BatchDialog
            action="RETRY"
            targets={failed.map(({ operationId, installation, currentVersion }) => ({
              id: operationId,
              installation,
              title: null,
              version: currentVersion,
            }))}
            onClose={() => setRetrying(false)}
          />
        </Suspense>
      )}
    </Page>
  )
}

const rowName = ({ operationId, operationType, installation }: Operation) =>
  `${operationType} ${installation.bundle.bundleId} ${scopeText(installation)} ${operationId}`
const rowKey = ({ operationId }: Operation) => operationId
const rowLink = ({ operationId }: Operation) => paths.operation(operationId)
