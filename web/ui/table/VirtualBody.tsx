import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { LinkTarget } from '../Link.tsx'
import type { Column } from './column.ts'
import { asRowGroup, asNothing, ROW_HEIGHT } from './styles.ts'
import { TableRow } from './Row.tsx'

/** Renders the rows near the window, between two empty rows that take the space of the others. */
export function VirtualBody<Row>({
  rows,
  rowKey,
  columns,
  link,
  selectedKey,
}: {
  rows: readonly Row[]
  rowKey: (row: Row) => string
  columns: readonly Column<Row>[]
  link: ((row: Row) => LinkTarget) | undefined
  selectedKey: string | undefined
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + scrollY)
  }, [])

  // a new function would make it lay out all rows again
  const getItemKey = useCallback(
    (index: number) => {
      const row = rows[index]
      return row === undefined ? index : rowKey(row)
    },
    [rows, rowKey],
  )
  // oxlint-disable-next-line react/incompatible-library -- rows are memoized already; nothing here is compiled
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT[1],
    overscan: 12,
    scrollMargin: top,
    getItemKey,
  })
  const items = virtual.getVirtualItems()
  const before = (items[0]?.start ?? top) - top
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top)

  return (
    <tbody ref={body} {...asRowGroup} className="@max-[40rem]/table:block">
      <Gap height={before} />
      {items.map((item) => {
        const row = rows[item.index]
        if (row === undefined) return null
        return (
          <TableRow
            key={item.key}
            ref={virtual.measureElement}
            index={item.index}
            row={row}
            columns={columns}
            link={link}
            selected={selectedKey !== undefined && rowKey(row) === selectedKey}
          />
        )
      })}
      <Gap height={after} />
    </tbody>
  )
}

/** An empty row that takes the space of rows that are not rendered, in pixels. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr {...asNothing} className="@max-[40rem]/table:block" style={{ height }}>
      <td {...asNothing} />
    </tr>
  )
}
