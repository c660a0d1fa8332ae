import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { ListPager } from '../../ui/table/ListPager.tsx'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { Entry } from './Entry.tsx'
import { auditCall, type AuditSearch } from '#contract/console-api/pages/audit.ts'

/** The entries of a page. Each reads as a sentence, with its changes folded below it. */
export function AuditList({
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
            <Entry key={entry.sequence} entry={entry} />
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
