import { Suspense, useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { useIsOpening } from '../opening.ts'
import { useIsPrinting } from '../printing.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import type { ErrorView } from '../../i18n/describe-code.ts'
import { ErrorState } from '../ErrorState.tsx'
import type { LinkTarget } from '../Link.tsx'
import { Skeleton } from '../Skeleton.tsx'
import { type Column, type RowSelection, sortsOf } from './column.ts'
import type { VirtualBody as LoadedBody } from './VirtualBody.tsx'
import { TableHead } from './Head.tsx'
import { asRowGroup, asTable, cellClass, columnClass, ROW_HEIGHT } from './styles.ts'
import { TableRow } from './Row.tsx'
import { Select } from '../Select.tsx'

export type { Column } from './column.ts'

const VIRTUAL_ABOVE = 200
const VirtualBody = lazyPart(
  async () => (await import('./VirtualBody.tsx')).VirtualBody,
) as unknown as typeof LoadedBody

export type TableProps<Row> = {
  /** The table's accessible name. */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined until the first response: placeholder rows of the same height are shown. */
  rows: readonly Row[] | undefined
  /** Must be stable: define it outside the component. */
  rowKey: (row: Row) => string
  /** Makes the first cell a link and the whole row clickable. Must be stable: define it outside the component. */
  rowLink?: (row: Row) => LinkTarget
  selectedKey?: string | undefined
  selection?: RowSelection<Row> | undefined
  /** Shown when there are no rows; say why and what to do (`EmptyState`). */
  empty: ReactNode
  error?: ErrorView | null | undefined
  onRetry?: () => void
  /** The rows are of the previous filters. */
  stale?: boolean
  sort?: string | undefined
  onSort?: (sort: string) => void
  /** Called when the last row is near the window, to fetch more. */
  onEndReached?: (() => void) | undefined
  skeletonRows?: number
  /** How many lines of text the cells have; default one. */
  lines?: 1 | 2
  /** Below the rows, inside the frame: a pager. */
  footer?: ReactNode
  className?: string | undefined
}

/**
 * The only table component. Its header is sticky below the bar, a row is 36 px high (52 px with two lines), and rows become
 * cards in a narrow table. With more than 200 rows, only those near the window are rendered.
 */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns,
    rows,
    error,
    onRetry,
    stale = false,
    sort,
    onSort,
    lines,
    footer,
    className,
  } = props
  const t = useText()
  const isOpening = useIsOpening()
  if (error && !rows) return <ErrorState error={error} onRetry={onRetry} />
  return (
    <div className={cx('@container/table min-w-0 rounded-lg border border-line bg-surface', className)}>
      {onSort && rows?.length !== 0 && <SortChoice columns={columns} sort={sort} onSort={onSort} />}
      {rows?.length === 0 ? (
        props.empty
      ) : (
        <table
          {...asTable}
          aria-label={label}
          aria-busy={!rows || stale || undefined}
          className={cx(
            'w-full table-fixed border-separate border-spacing-0 transition-opacity [&_thead_th:first-child]:rounded-tl-lg [&_thead_th:last-child]:rounded-tr-lg @max-[40rem]/table:block',
            stale && 'opacity-55',
            lines === 2 && 'two-lines',
          )}
        >
          <colgroup>
            {props.selection && <col style={{ width: '2.5rem' }} />}
            {columns.map((column) => (
              <col key={column.id} className={columnClass(column)} style={{ width: column.width }} />
            ))}
          </colgroup>
          <TableHead
            columns={columns}
            sort={sort}
            onSort={onSort}
            check={props.selection && <SelectAll {...props} selection={props.selection} />}
          />
          <TableBody {...props} rows={isOpening ? rows?.slice(0, rowsInWindow(lines)) : rows} />
        </table>
      )}
      {!rows && <span className="sr-only">{t('common.loading')}</span>}
      {props.onEndReached && rows && rows.length > 0 && !isOpening && (
        <EndOfRows onReached={props.onEndReached} />
      )}
      {footer && <div className="border-t border-line px-4 py-2">{footer}</div>}
    </div>
  )
}

/** What is above the rows at least, in px: the title of the page and the head of the table. */
const ABOVE_ROWS = 90

/** As many rows as the window can show; cards are higher. */
const rowsInWindow = (lines: 1 | 2 = 1): number =>
  Math.ceil((window.innerHeight - ABOVE_ROWS) / ROW_HEIGHT[lines])

function TableBody<Row>(props: TableProps<Row>) {
  const { rows, columns, rowKey, rowLink: link, selectedKey, selection, skeletonRows = 8 } = props
  const isPrinting = useIsPrinting()
  if (!rows)
    return <SkeletonBody columns={columns} count={skeletonRows} hasChecks={selection !== undefined} />
  if (rows.length > VIRTUAL_ABOVE && !isPrinting) {
    return (
      <Suspense fallback={<SkeletonBody columns={columns} count={skeletonRows} hasChecks={false} />}>
        <VirtualBody rows={rows} rowKey={rowKey} columns={columns} link={link} selectedKey={selectedKey} />
      </Suspense>
    )
  }
  return (
    <tbody {...asRowGroup} className="@max-[40rem]/table:block">
      {rows.map((row) => {
        const key = rowKey(row)
        return (
          <TableRow
            key={key}
            row={row}
            columns={columns}
            link={link}
            selected={key === selectedKey}
            check={selection?.check}
            isChecked={selection?.keys.has(key) === true}
          />
        )
      })}
    </tbody>
  )
}

/** Selects all rows that are shown. */
function SelectAll<Row>({ rows, rowKey, selection }: TableProps<Row> & { selection: RowSelection<Row> }) {
  const shown = rows ?? []
  const selected = shown.filter((row) => selection.keys.has(rowKey(row))).length
  const isAll = selected > 0 && selected === shown.length
  return (
    <input
      ref={(box) => {
        if (box) box.indeterminate = selected > 0 && !isAll
      }}
      type="checkbox"
      className="checkbox"
      aria-label={selection.labelOfAll}
      checked={isAll}
      onChange={() => selection.onToggleAll(shown, !isAll)}
    />
  )
}

function SkeletonBody<Row>({
  columns,
  count,
  hasChecks,
}: {
  columns: readonly Column<Row>[]
  count: number
  hasChecks: boolean
}) {
  return (
    <tbody aria-hidden="true" className="@max-[40rem]/table:block">
      {Array.from({ length: count }, (_, line) => (
        <tr key={line} className="list-row group/row">
          {hasChecks && (
            <td className={cellClass({ card: 'hidden' })}>
              <Skeleton className="size-4" />
            </td>
          )}
          {columns.map((column, at) => (
            // a card has about three lines
            <td key={column.id} className={cellClass({ ...column, card: at < 3 ? 'wide' : 'hidden' })}>
              <Skeleton className={WIDTHS[(line * 3 + at * 2) % WIDTHS.length]} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

const WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-2/5', 'w-3/5']

/** Calls back when the end of the rows is near the window. */
function EndOfRows({ onReached }: { onReached: () => void }) {
  const mark = useRef<HTMLDivElement>(null)
  const reached = useEffectEvent(onReached)
  useEffect(() => {
    if (!mark.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && reached(), {
      rootMargin: '600px',
    })
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={mark} />
}

/** The sort orders of the columns. Cards have no header to press, so a narrow table shows this instead. */
function SortChoice<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[]
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const t = useText()
  const options = columns.flatMap(sortsOf).flatMap(({ key, name, first }) => {
    const both = [
      { value: key, label: t('common.sort.ascending', { column: name }) },
      { value: `-${key}`, label: t('common.sort.descending', { column: name }) },
    ]
    return first === 'descending' ? both.toReversed() : both
  })
  if (options.length === 0) return null
  return (
    <div className="hidden border-b border-line px-4 py-2 @max-[40rem]/table:block print:hidden!">
      <Select
        aria-label={t('common.sort')}
        value={sort}
        options={options}
        onChange={(event) => onSort(event.target.value)}
      />
    </div>
  )
}
