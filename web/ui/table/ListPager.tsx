import { useEffect } from 'react'
import { useText } from '../../i18n/use-text.ts'
import type { LinkTarget } from '../Link.tsx'
import { Pager } from '../Pager.tsx'

export type ListPage<Row> = { items: Row[]; nextCursor: string | null }

/** The cursor of the previous page, by cursor. Only in memory: after a reload "previous" leads to the first page. */
const previousCursors = new Map<string, string | undefined>()

/** Keyset pagination knows only the next page; the previous one is the page that the person came from. */
export function ListPager({
  page,
  cursor,
  pageLink,
  total,
}: {
  page: ListPage<unknown>
  cursor: string | undefined
  pageLink: ((cursor: string | undefined) => LinkTarget) | undefined
  /** How many rows all pages have together. */
  total?: string | undefined
}) {
  const t = useText()
  const { nextCursor, items } = page
  useEffect(() => {
    if (nextCursor !== null) previousCursors.set(nextCursor, cursor)
  }, [nextCursor, cursor])
  const count = t('common.table.rows', { n: items.length })
  if (!pageLink || (cursor === undefined && nextCursor === null))
    return <span className="text-xs text-faint">{count}</span>
  return (
    <Pager
      previous={cursor === undefined ? null : pageLink(previousCursors.get(cursor))}
      next={nextCursor === null ? null : pageLink(nextCursor)}
    >
      {total === undefined ? count : `${count} · ${total}`}
    </Pager>
  )
}
