import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/** A page of rows out of one that was read with a row more than fits; `valuesOf` are the sort values of a row. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  page: { item(row: Row): Item; valuesOf(row: Row): (string | number)[] },
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => page.item(row)),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(page.valuesOf(last)) : null,
  }
}

/** The values of a cursor, or null on the first page. Refuses what is no cursor of this list. */
export function cursorValues(
  cursor: string | undefined,
  kinds: readonly ('string' | 'number')[],
): (string | number)[] | null {
  return cursor === undefined ? null : decodeCursor(cursor, kinds)
}

/** A cursor's whole number; any other number would be an error of the database's. */
export function cursorInteger(value: string | number | undefined): number {
  if (Number.isSafeInteger(value)) return Number(value)
  throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
}
