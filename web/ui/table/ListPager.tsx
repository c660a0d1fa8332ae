import { useEffect, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { type LinkTarget, PlainLink } from '../Link.tsx'
import { buttonStyle } from '../button-style.ts'
import { Icon } from '../Icon.tsx'

export type ListPage<Row> = { items: Row[]; nextCursor: string | null }

/** The cursor of the previous page, by cursor. Only in memory: after a reload "previous" leads to the first page. */
const previousCursors = new Map<string, string | undefined>()

/** Keyset pagination knows only the next page; the previous one is the page that the person came from. */
export function ListPager({
  page,
  cursor,
  pageLink,
  total,
  label,
  count: counted,
}: {
  page: ListPage<unknown>
  cursor: string | undefined
  pageLink: ((cursor: string | undefined) => LinkTarget) | undefined
  /** How many rows all pages have together. */
  total?: string | undefined
  /** If the page has several pagers: what this one turns, and how many of it are shown. */
  label?: string
  count?: string
}) {
  const t = useText()
  const { nextCursor, items } = page
  useEffect(() => {
    if (nextCursor !== null) previousCursors.set(nextCursor, cursor)
  }, [nextCursor, cursor])
  const count = counted ?? t('common.table.rows', { n: items.length })
  if (!pageLink || (cursor === undefined && nextCursor === null))
    return <span className="text-xs text-faint">{count}</span>
  return (
    <Pager
      label={label}
      previous={cursor === undefined ? null : pageLink(previousCursors.get(cursor))}
      next={nextCursor === null ? null : pageLink(nextCursor)}
    >
      {total === undefined ? count : `${count} · ${total}`}
    </Pager>
  )
}

/** The pager of a keyset list: previous and next links, without page numbers. */
function Pager({
  label,
  previous,
  next,
  children,
}: {
  label?: string | undefined
  previous: LinkTarget | null
  next: LinkTarget | null
  /** At the left: how many rows are shown. */
  children?: ReactNode
}) {
  const t = useText()
  return (
    <nav aria-label={label ?? t('common.pager.label')} className="flex items-center justify-between gap-4">
      <span className="text-xs text-faint">{children}</span>
      <span className="flex gap-2">
        <PagerLink to={previous}>
          <Icon name="chevronLeft" size={14} />
          {t('common.pager.previous')}
        </PagerLink>
        <PagerLink to={next}>
          {t('common.pager.next')}
          <Icon name="chevronRight" size={14} />
        </PagerLink>
      </span>
    </nav>
  )
}

function PagerLink({ to, children }: { to: LinkTarget | null; children: ReactNode }) {
  const className = buttonStyle({ size: 'sm', disabled: to === null })
  if (to) {
    return (
      <PlainLink to={to} className={className}>
        {children}
      </PlainLink>
    )
  }
  return (
    <span aria-disabled="true" className={className}>
      {children}
    </span>
  )
}
