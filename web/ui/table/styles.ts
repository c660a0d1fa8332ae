import type { Column } from './column.ts'

type Shape = Pick<Column<never>, 'align' | 'hideBelow'> & {
  card?: Column<never>['card'] | 'check'
}

// Rows and cells are styled in base.css: there are hundreds of cells, so each has few classes.

/** The height of a row in px, by its number of lines; `list-cell` in base.css has them too. */
export const ROW_HEIGHT = { 1: 36, 2: 52 } as const

/** Hides a column, its header and its cells while the table is too narrow. */
export function columnClass({
  hideBelow,
}: {
  hideBelow?: Shape['hideBelow'] | undefined
}): string | undefined {
  return hideBelow && `col-${hideBelow}`
}

export function headerClass({ align, hideBelow }: Shape): string {
  return [
    'h-8 border-b border-line bg-sunken px-3 text-xs font-medium text-muted whitespace-nowrap first:pl-4 last:pr-4',
    align === 'end' ? 'text-right' : 'text-left',
    columnClass({ hideBelow }),
  ].join(' ')
}

export function cellClass({ align, hideBelow, card }: Shape): string {
  return [
    'list-cell',
    card && `list-cell-${card}`,
    align === 'end' && 'list-cell-end',
    columnClass({ hideBelow }),
  ]
    .filter(Boolean)
    .join(' ')
}

/**
 * The roles of a table, set explicitly: some browsers drop the implicit roles of table elements that are laid out as
 * blocks or grids, as on a phone.
 */
export const asTable = { role: 'table' }
export const asRowGroup = { role: 'rowgroup' }
export const asRow = { role: 'row' }
export const asColumnHeader = { role: 'columnheader' }
export const asCell = { role: 'cell' }
export const asNothing = { role: 'presentation' }
