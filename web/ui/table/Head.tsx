import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import { Icon } from '../Icon.tsx'
import { nextSort, sortDirection, sortsOf, type Column, type Sort } from './column.ts'
import { asColumnHeader, asRow, asRowGroup, headerClass } from './styles.ts'

export function TableHead<Row>({
  columns,
  sort,
  onSort,
  check,
}: {
  columns: readonly Column<Row>[]
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
  /** The checkbox that selects all rows. */
  check: ReactNode
}) {
  return (
    <thead
      {...asRowGroup}
      className="sticky top-(--bar-height) z-10 @max-[40rem]/table:sr-only print:@min-[40rem]/table:static"
    >
      <tr {...asRow}>
        {check && (
          <th {...asColumnHeader} scope="col" className={headerClass({})}>
            {check}
          </th>
        )}
        {columns.map((column) => {
          const sorts = onSort ? sortsOf(column) : []
          return (
            <th
              key={column.id}
              {...asColumnHeader}
              scope="col"
              aria-sort={sorts.length === 0 ? undefined : directionOf(sorts, sort)}
              className={headerClass(column)}
            >
              {/* cards have no header to press: SortChoice is their control */}
              <span className={headerTextClass(column, sorts)}>{column.header}</span>
              {onSort &&
                sorts.map((one) => <SortButton key={one.key} one={one} sort={sort} onSort={onSort} />)}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

const directionOf = (sorts: readonly Sort[], sort: string | undefined) =>
  sorts.map(({ key }) => sortDirection(sort, key)).find((direction) => direction !== undefined) ?? 'none'

/** A single sort button repeats the header, which is then hidden. Several are of what is in the column, so it is before them. */
function headerTextClass<Row>({ headerHidden }: Column<Row>, sorts: readonly Sort[]): string {
  if (headerHidden === true) return 'sr-only'
  if (sorts.length > 1) return 'mr-2.5'
  return sorts.length === 1 ? 'hidden @max-[40rem]/table:inline' : 'block truncate'
}

function SortButton({
  one,
  sort,
  onSort,
}: {
  one: Sort
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const t = useText()
  const direction = sortDirection(sort, one.key)
  return (
    <button
      type="button"
      title={t('common.sort.by', { column: one.name })}
      onClick={() => onSort(nextSort(sort, one))}
      className={cx(
        'group/sort -mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 not-last:mr-1 hover:text-ink @max-[40rem]/table:hidden',
        direction && 'text-ink',
      )}
    >
      {one.name}
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
