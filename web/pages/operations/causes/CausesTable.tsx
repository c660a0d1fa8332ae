import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  causeFilters,
  failureGroupsCall,
  type OperationsSearch,
} from '#contract/console-api/pages/operations.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { FailureGroup } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { QueryTable } from '../../../ui/table/QueryTable.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { causeColumns } from './columns.tsx'

/** The causes of failed operations: equal failures are one row. */
export function CausesTable({
  search,
  onClear,
}: {
  search: OperationsSearch
  onClear: (() => void) | false
}) {
  const t = useText()
  const query = useQuery({
    ...apiQuery('GET /failure-groups', failureGroupsCall(search)),
    placeholderData: keepPreviousData,
    select: ({ groups, next }) => ({ items: groups, nextCursor: next ?? null }),
  })
  const columns = useMemo(() => causeColumns(t, search), [t, search])
  return (
    <QueryTable
      label={t('operations.causes.label')}
      query={query}
      columns={columns}
      rowKey={rowKey}
      rowLink={({ key, count, latest }) =>
        count === 1
          ? paths.operation(latest.operationId)
          : paths.operations({ ...causeFilters(search), failureGroup: key })
      }
      lines={2}
      cursor={search.cursor}
      pageLink={(at) => paths.operations(omitUndefined({ ...search, cursor: at }))}
      onClear={onClear}
      empty={
        <EmptyState
          icon="done"
          title={t('operations.causes.empty')}
          message={t('operations.causes.empty.message')}
        />
      }
    />
  )
}

const rowKey = ({ key }: FailureGroup) => key
