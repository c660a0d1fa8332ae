import type { Column } from './column.ts'

type Shape = Pick<Column<never>, 'align' | 'hideBelow' | 'card'>

// the table is a container: it is laid out by its own width, not by the window's
const HIDE = {
  md: '@max-[48rem]/table:@min-[40rem]/table:hidden',
  lg: '@max-[60rem]/table:@min-[40rem]/table:hidden',
  xl: '@max-[74rem]/table:@min-[40rem]/table:hidden',
}

export function headerClass({ align, hideBelow }: Shape): string {
  return [
    'h-8 border-b border-line bg-sunken px-3 text-xs font-medium text-muted whitespace-nowrap first:pl-4 last:pr-4',
    align === 'end' ? 'text-right' : 'text-left',
    hideBelow ? HIDE[hideBelow] : '',
  ].join(' ')
}

// where a row is a card: labels above values, two to a line
const CARD = {
  half: '@max-[40rem]/table:block',
  wide: '@max-[40rem]/table:col-span-2 @max-[40rem]/table:block',
  head: '@max-[40rem]/table:col-span-2 @max-[40rem]/table:block @max-[40rem]/table:text-md @max-[40rem]/table:font-medium',
  hidden: '@max-[40rem]/table:hidden',
}

export function cellClass({ align, hideBelow, card }: Shape): string {
  return [
    'h-9 overflow-hidden border-b border-line px-3 text-ellipsis whitespace-nowrap group-last/row:border-transparent first:pl-4 last:pr-4',
    '@max-[40rem]/table:h-auto @max-[40rem]/table:border-b-0 @max-[40rem]/table:p-0! @max-[40rem]/table:whitespace-normal',
    CARD[card ?? 'half'],
    align === 'end' ? 'text-right tabular-nums @max-[40rem]/table:text-left' : '',
    hideBelow ? HIDE[hideBelow] : '',
  ].join(' ')
}

export const rowClass =
  'group/row @max-[40rem]/table:grid @max-[40rem]/table:grid-cols-2 @max-[40rem]/table:gap-x-4 @max-[40rem]/table:gap-y-1.5 @max-[40rem]/table:border-b @max-[40rem]/table:border-line @max-[40rem]/table:px-4 @max-[40rem]/table:py-3 @max-[40rem]/table:last:border-b-0'
