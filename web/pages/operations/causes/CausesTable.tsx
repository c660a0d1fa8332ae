import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { causesCall, oneCauseCall } from '#contract/console-api/pages/causes.ts'
import { causeFilters, type OperationsSearch } from '#contract/console-api/pages/operations.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Cause } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'
import { apiQuery } from '../../../api/query.ts'
import { paths } from '../../../addresses/paths.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { AssignCauses } from '../../../subjects/causes/AssignCauses.tsx'
import { causeTitle } from '../../../subjects/causes/cause-texts.ts'
import { CauseStateBadge } from '../../../subjects/causes/CauseStateBadge.tsx'
import { useLookedAt } from '../../../subjects/causes/looked-at.ts'
import { RetryCause } from '../../../subjects/causes/RetryCause.tsx'
import { useListSelection } from '../../../subjects/batch/use-list-selection.tsx'
import { useMay } from '../../../api/session.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { TextLink } from '../../../ui/Link.tsx'
import { QueryTable } from '../../../ui/table/QueryTable.tsx'
import { causeColumns } from './cause-columns.tsx'

/** The causes of failed operations, or those with which none is failed any more. */
export function CausesTable({
  search,
  onClear,
}: {
  search: OperationsSearch
  onClear: (() => void) | false
}) {
  const t = useText()
  const lookedAt = useLookedAt()
  const mayAnnotate = useMay('operation:annotate', 'anywhere')
  const query = useQuery({
    ...apiQuery('GET /causes', causesCall(search)),
    placeholderData: keepPreviousData,
    select: ({ causes, next, total }) => ({ items: causes, nextCursor: next ?? null, total }),
  })
  const columns = useMemo(() => causeColumns(t, search, lookedAt), [t, search, lookedAt])
  const isPast = search.when === 'past'
  const total = query.data?.total
  const selection = useListSelection({
    keyOf: rowKey,
    nameOf: rowKey,
    loadPage: async (page) => {
      const { cursor: _, limit: __, ...filters } = causesCall(search).query
      const { causes, next } = await callApi('GET /causes', { query: { ...omitUndefined(filters), ...page } })
      return { items: causes, nextCursor: next ?? null }
    },
  })
  return (
    <>
      <QueryTable
        label={t('operations.causes.label')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={({ causeId, count, latest }) =>
          count === 1 && latest !== null ? paths.operation(latest.operationId) : paths.cause(causeId)
        }
        lines={2}
        cursor={search.cursor}
        pageLink={(at) => paths.operations(omitUndefined({ ...search, cursor: at }))}
        total={total === undefined ? undefined : t('operations.cause.total', { n: total })}
        onClear={onClear}
        selection={mayAnnotate ? selection.table : undefined}
        empty={
          <EmptyState
            icon="done"
            title={t(isPast ? 'operations.cause.past.empty' : 'operations.causes.empty')}
            message={t(isPast ? 'operations.cause.past.empty.message' : 'operations.causes.empty.message')}
          />
        }
      />
      {selection.bar(<AssignCauses causes={selection.rows} />)}
    </>
  )
}

const rowKey = ({ causeId }: Cause) => causeId

/** Above a list that shows the operations of one cause only: which cause, and what can be done with all of them. */
export function CauseBanner({ search }: { search: OperationsSearch }) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /causes', oneCauseCall(search)))
  if (!data) return null
  const [cause] = data.causes
  return (
    <section
      aria-label={t('operations.causes.only')}
      className="mb-3 flex flex-wrap items-center gap-x-6 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2.5"
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="text-xs text-faint">{t('operations.causes.only')}</p>
        {cause ? (
          <>
            <p className="font-semibold wrap-anywhere">
              <TextLink to={paths.cause(cause.causeId)}>{causeTitle(cause, t)}</TextLink>
            </p>
            <p className="mono text-xs wrap-anywhere text-muted">
              {joinList(t, [cause.errorCode, ...(cause.pluginId === null ? [] : [cause.pluginId])])}
            </p>
          </>
        ) : (
          <p>{t('operations.causes.gone')}</p>
        )}
      </div>
      {cause && <CauseStateBadge cause={cause} />}
      <TextLink to={paths.operations(omitUndefined({ ...causeFilters(search), causeId: undefined }))}>
        {t('operations.causes.all')}
      </TextLink>
      {cause && <RetryCause cause={cause} search={search} />}
    </section>
  )
}
