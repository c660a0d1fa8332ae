import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import { Icon } from '../icons/Icon.tsx'
import { nextSort, sortDirection, type Column } from './column.ts'
import { asColumnHeader, asRow, asRowGroup } from './roles.ts'
import { headerClass } from './styles.ts'

export function TableHead<Row>({
  columns,
  sort,
  onSort,
  check,
}: {
  columns: readonly Column<Row>[]
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
  /** The checkbox of all rows. */
  check: ReactNode
}) {
  return (
    <thead {...asRowGroup} className="sticky top-(--bar-height) z-10 @max-[40rem]/table:sr-only">
      <tr {...asRow}>
        {check && (
          <th {...asColumnHeader} scope="col" className={headerClass({})}>
            {check}
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.id}
            {...asColumnHeader}
            scope="col"
            aria-sort={column.sortKey ? (sortDirection(sort, column.sortKey) ?? 'none') : undefined}
            className={headerClass(column)}
          >
            {column.sortKey && onSort ? (
              <SortButton column={{ ...column, sortKey: column.sortKey }} sort={sort} onSort={onSort} />
            ) : (
              <span className={column.headerHidden ? 'sr-only' : 'block truncate'}>{column.header}</span>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function SortButton<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row> & { sortKey: string }
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const t = useText()
  const direction = sortDirection(sort, column.sortKey)
  return (
    <button
      type="button"
      title={t('common.sort.by', { column: column.header })}
      onClick={() => onSort(nextSort(sort, column))}
      className={cx(
        'group/sort -mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 hover:text-ink',
        direction && 'text-ink',
      )}
    >
      {column.header}
      <Icon
        name={direction === 'ascending' ? 'sortUp' : 'sortDown'}
        size={12}
        className={
          direction ? '' : 'opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60'
        }
      />
    </button>
  )
}
