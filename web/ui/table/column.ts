import type { ReactNode } from 'react'

/**
 * One column. Keep the list of columns outside of the component (or in `useMemo`): a row renders again only when its
 * object or its columns are other ones, which is what keeps long tables smooth.
 */
export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** A CSS width such as `8rem` or `20%`; columns without one share what is left. */
  width?: string
  /** Numbers and durations stand at the end. */
  align?: 'start' | 'end'
  /** What the server sorts by, without its sign. The header becomes a button. */
  sortKey?: string
  /** The sign of the first press; times begin with the newest. */
  sortFirst?: 'ascending' | 'descending'
  /** Left out while the table is narrower than this; below `stacked` (40rem) every row is a card with all of them. */
  hideBelow?: 'md' | 'lg' | 'xl'
  /** The header is for screen readers alone: a column of actions. */
  headerHidden?: boolean
  /** On a card: `head` stands alone on top without its label (the first column does), `wide` takes the whole line. */
  card?: 'head' | 'wide' | 'hidden'
}

/** `-updatedAt` is descending by updatedAt. */
export function sortDirection(sort: string | undefined, key: string): 'ascending' | 'descending' | undefined {
  if (sort === key) return 'ascending'
  return sort === `-${key}` ? 'descending' : undefined
}

export function nextSort(
  sort: string | undefined,
  column: { sortKey: string; sortFirst?: string | undefined },
): string {
  const { sortKey, sortFirst = 'ascending' } = column
  const now = sortDirection(sort, sortKey)
  const next = now === undefined ? sortFirst : now === 'ascending' ? 'descending' : 'ascending'
  return next === 'descending' ? `-${sortKey}` : sortKey
}
