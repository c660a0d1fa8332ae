import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  causeFilters,
  failureGroupsCall,
  type OperationsSearch,
  failureGroupCall,
} from '#contract/console-api/pages/operations.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { FailureGroup } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { QueryTable } from '../../../ui/table/QueryTable.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { causeColumns } from './cause-columns.tsx'
import { joinList } from '../../../i18n/punctuation.ts'
import { TextLink } from '../../../ui/Link.tsx'
import { groupTitle } from './group-title.ts'
import { RetryGroup } from './RetryGroup.tsx'

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

/** Above a list that shows the operations of one cause only: which cause, and what can be done with all of them. */
export function CauseBanner({ search }: { search: OperationsSearch }) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /failure-groups', failureGroupCall(search)))
  if (!data) return null
  const [group] = data.groups
  return (
    <section
      aria-label={t('operations.causes.only')}
      className="mb-3 flex flex-wrap items-center gap-x-6 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2.5"
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="text-xs text-faint">{t('operations.causes.only')}</p>
        {group ? (
          <>
            <p className="font-semibold wrap-anywhere">{groupTitle(group, t)}</p>
            <p className="mono text-xs wrap-anywhere text-muted">
              {joinList(t, [group.errorCode, ...(group.pluginId === null ? [] : [group.pluginId])])}
            </p>
          </>
        ) : (
          <p>{t('operations.causes.gone')}</p>
        )}
      </div>
      <TextLink to={paths.operations()}>{t('operations.causes.all')}</TextLink>
      {group && <RetryGroup group={group} search={search} />}
    </section>
  )
}
