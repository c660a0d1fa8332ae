import type { ReactNode } from 'react'

/** One sort key of the server, without a sign, and its name for people. */
export type Sort = { key: string; name: string; first?: 'ascending' | 'descending' }

/**
 * One column. Define the columns outside the component (or in `useMemo`): a row is rendered again only when its object
 * or its columns change, which keeps long tables fast.
 */
export type Column<Row> = {
  id: string
  header: string
  /** A text, one element, or several: on a card, a text beside one element would lose the space between them. */
  cell: (row: Row) => ReactNode
  /** A CSS width such as `8rem` or `20%`; columns without one share the rest. */
  width?: string
  /** Numbers and durations are aligned to the end. */
  align?: 'start' | 'end'
  /** The server's sort key, without a sign. Makes the header a button. */
  sortKey?: string
  /** The direction of the first press; times start with the newest. */
  sortFirst?: 'ascending' | 'descending'
  /** Several sort keys of one column, each with a button in its header, instead of `sortKey`. */
  sorts?: readonly Sort[]
  /** Hidden while the table is narrower than this; below `stacked` (40rem), every row is a card with all columns. */
  hideBelow?: 'md' | 'lg' | 'xl'
  /** The header is for screen readers only: a column of actions. */
  headerHidden?: boolean
  /**
   * On a card, cells stand beside each other, each after its label. `head` is on top without its label (the default for the
   * first column), `wide` takes a line of its own. Values that need no label are `plain`, or a `line` of their own, with the
   * parts of the cell side by side. A card leaves out cells with `Nothing`.
   */
  card?: 'head' | 'wide' | 'plain' | 'line' | 'hidden'
}

/** Checkboxes before the rows. */
export type RowSelection<Row> = {
  keys: ReadonlySet<string>
  /** Must be stable, so that a press renders its own row only. */
  check: {
    /** The accessible name of a row's checkbox. */
    labelOf: (row: Row) => string
    onToggle: (row: Row, isSelected: boolean) => void
  }
  onToggleAll: (rows: readonly Row[], isSelected: boolean) => void
  /** The accessible name of the checkbox of all rows. */
  labelOfAll: string
}

/** `-updatedAt` means descending by updatedAt. */
export function sortDirection(sort: string | undefined, key: string): 'ascending' | 'descending' | undefined {
  if (sort === key) return 'ascending'
  return sort === `-${key}` ? 'descending' : undefined
}

export function nextSort(sort: string | undefined, { key, first = 'ascending' }: Sort): string {
  const now = sortDirection(sort, key)
  const next = now === undefined ? first : now === 'ascending' ? 'descending' : 'ascending'
  return next === 'descending' ? `-${key}` : key
}

/** The sort keys of a column. */
export function sortsOf({
  sorts,
  sortKey,
  sortFirst,
  header,
}: Pick<Column<never>, 'sorts' | 'sortKey' | 'sortFirst' | 'header'>): readonly Sort[] {
  if (sorts !== undefined) return sorts
  return sortKey === undefined ? [] : [{ key: sortKey, name: header, ...(sortFirst && { first: sortFirst }) }]
}
