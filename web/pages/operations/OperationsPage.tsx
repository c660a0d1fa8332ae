import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { QueryTable } from '../../components/QueryTable.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { operationColumns } from './columns.tsx'
import { OperationFilters } from './OperationFilters.tsx'
import {
  OPERATION_SORTS,
  operationsCall,
  type OperationsSearch,
} from '#contract/console-api/pages/operations.ts'

const route = getRouteApi('/operations')

export function OperationsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /operations', operationsCall(search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => operationColumns(t), [t])
  const { sort, cursor, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  // other filters start at the first page, and typing adds no history entries
  const change = (next: SearchChange<OperationsSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, sort, ...next }), replace: true })
  const clear = () => void navigate({ search: omitUndefined({ sort }) })
  return (
    <Page title={t('operations.title')}>
      <div className="mb-3">
        <OperationFilters search={search} onChange={change} onClear={isFiltered && clear} />
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
        skeletonRows={12}
        empty={
          <EmptyState
            icon="operations"
            title={t('operations.list.empty')}
            message={t('operations.list.empty.message')}
          />
        }
      />
    </Page>
  )
}

const rowKey = ({ operationId }: Operation) => operationId
const rowLink = ({ operationId }: Operation) => paths.operation(operationId)
