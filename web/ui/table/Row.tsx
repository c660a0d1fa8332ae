import { memo, type KeyboardEvent, type MouseEvent, type Ref } from 'react'
import { cx } from '../class-names.ts'
import { PlainLink, type LinkTarget } from '../Link.tsx'
import type { Column, RowSelection } from './column.ts'
import { asCell, asRow, cellClass } from './styles.ts'

export type RowProps<Row> = {
  row: Row
  columns: readonly Column<Row>[]
  link: ((row: Row) => LinkTarget) | undefined
  selected: boolean
  /** The row's checkbox; `isChecked` is its state. */
  check?: RowSelection<Row>['check'] | undefined
  isChecked?: boolean
  index?: number
  ref?: Ref<HTMLTableRowElement>
}

/** A memo component cannot be generic; the cast restores its type parameter. */
export const TableRow = memo(TableRowView) as typeof TableRowView

function TableRowView<Row>({ row, columns, link, selected, check, isChecked, index, ref }: RowProps<Row>) {
  return (
    <tr
      ref={ref}
      {...asRow}
      data-index={index}
      aria-selected={selected || undefined}
      className={cx(
        'list-row group/row',
        link && 'cursor-pointer',
        selected || isChecked === true ? 'bg-accent-tint' : link && 'hover:bg-hover',
      )}
      onClick={link && pressLink}
      onAuxClick={link && openBeside}
      onKeyDown={link && moveBetweenRows}
    >
      {check && (
        <td {...asCell} data-check="" className={cellClass({ card: 'check' })}>
          <input
            type="checkbox"
            className="checkbox @max-[40rem]/table:size-6"
            aria-label={check.labelOf(row)}
            checked={isChecked === true}
            onChange={(event) => check.onToggle(row, event.target.checked)}
          />
        </td>
      )}
      {columns.map((column, at) => {
        const card = at === 0 ? 'head' : column.card
        const content = column.cell(row)
        return (
          <td
            key={column.id}
            {...asCell}
            data-label={isLabelled(card) && !column.headerHidden ? column.header : undefined}
            className={cellClass({ ...column, ...(card && { card }) })}
          >
            {at === 0 && link ? (
              <PlainLink
                to={link(row)}
                className="row-link rounded-sm font-medium text-ink group-hover/row:underline group-hover/row:decoration-line-strong group-hover/row:underline-offset-3"
              >
                {content}
              </PlainLink>
            ) : (
              content
            )}
          </td>
        )
      })}
    </tr>
  )
}

const isLabelled = (card: Column<never>['card']): boolean => card === undefined || card === 'wide'

/** A press on one of these does not open the row. A press beside a checkbox was meant for the checkbox. */
const CONTROLS = 'a, button, input, select, label, summary, [data-check]'

/** A press anywhere in a row clicks its link, so that modifier keys and history work as for links. */
function pressLink(event: MouseEvent<HTMLTableRowElement>) {
  if (isOnControl(event)) return
  if (getSelection()?.isCollapsed === false) return
  const { ctrlKey, metaKey, shiftKey } = event
  linkOf(event.currentTarget)?.dispatchEvent(
    new window.MouseEvent('click', {
      bubbles: true,
      cancelable: true,
      view: window,
      ctrlKey,
      metaKey,
      shiftKey,
    }),
  )
}

const isOnControl = ({ target }: MouseEvent): boolean =>
  target instanceof Element && target.closest(CONTROLS) !== null

function openBeside(event: MouseEvent<HTMLTableRowElement>) {
  const link = linkOf(event.currentTarget)
  if (event.button !== 1 || !link || isOnControl(event)) return
  window.open(link.href, '_blank', 'noopener')
}

/** Arrow keys move between rows; Tab moves to the content of a row. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableRowElement>) {
  const step =
    event.key === 'ArrowDown'
      ? 'nextElementSibling'
      : event.key === 'ArrowUp'
        ? 'previousElementSibling'
        : null
  if (!step || event.target !== linkOf(event.currentTarget)) return
  const next = event.currentTarget[step]
  const link = next && linkOf(next)
  if (!link) return
  event.preventDefault()
  link.focus()
}

function linkOf(row: Element): HTMLAnchorElement | null {
  return row.querySelector<HTMLAnchorElement>('a.row-link')
}
