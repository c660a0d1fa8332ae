import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { EmptyState } from '../EmptyState.tsx'
import type { LinkTarget } from '../Link.tsx'
import { Notice } from '../Notice.tsx'
import { Table, type TableProps } from './Table.tsx'
import { outdatedReason, useErrorView } from '../../i18n/describe-code.ts'
import { ListPager, type ListPage } from './ListPager.tsx'

type QueryProps<Row> = {
  query: UseQueryResult<ListPage<Row>>
  /** The cursor of the page in the address; undefined is the first page. */
  cursor?: string | undefined
  pageLink?: (cursor: string | undefined) => LinkTarget
  /** How many rows all pages have together; shown if there are several. */
  total?: string | undefined
  /** Of a search that ended before the page was full: how far it has read. */
  partial?: string | undefined
  /** Shown when the list is empty without filters. */
  empty: ReactNode
  /** Clears the filters; present only while there are some. */
  onClear?: (() => void) | false | undefined
}

/** A list of the API in all of its states: loading, failed, empty, filtered to nothing, outdated, paged. */
export function QueryTable<Row>({
  query,
  cursor,
  pageLink,
  total,
  partial,
  empty,
  onClear,
  ...table
}: QueryProps<Row> & Omit<TableProps<Row>, 'rows' | 'error' | 'onRetry' | 'stale' | 'footer' | 'empty'>) {
  const t = useText()
  const error = useErrorView(query.error)
  const rows = query.data?.items
  const retry = () => void query.refetch()
  return (
    <>
      <OutdatedNotice query={query} />
      <Table
        {...table}
        rows={rows}
        error={error}
        onRetry={retry}
        stale={query.isPlaceholderData}
        empty={
          partial !== undefined ? (
            <EmptyState icon="filter" title={t('common.list.partial.title')} message={partial} />
          ) : cursor !== undefined || onClear ? (
            <EmptyState
              icon="filter"
              title={t('common.list.filtered.title')}
              message={t('common.list.filtered.message')}
              action={onClear && <Button onClick={onClear}>{t('common.clearFilters')}</Button>}
            />
          ) : (
            empty
          )
        }
        footer={
          // an empty list says so itself; an empty later page needs the way back
          query.data &&
          (query.data.items.length > 0 || cursor !== undefined || partial !== undefined) && (
            <ListPager
              page={query.data}
              cursor={cursor}
              pageLink={pageLink}
              total={
                rows?.length === 0 || partial === undefined
                  ? total
                  : [total, partial].filter(Boolean).join(' · ')
              }
            />
          )
        }
      />
    </>
  )
}

/** Says that a list could not be read again, while it shows what was read before. */
export function OutdatedNotice({ query }: { query: UseQueryResult }) {
  const t = useText()
  const error = useErrorView(query.error)
  if (error === null || query.data === undefined) return null
  return (
    <Notice
      tone="warn"
      live
      className="mb-3"
      actions={
        <Button size="sm" icon="retry" busy={query.isFetching} onClick={() => void query.refetch()}>
          {t('common.retry')}
        </Button>
      }
    >
      {t('common.list.outdated', { reason: outdatedReason(error, t) })}
    </Notice>
  )
}
