import { Uuid } from '#contract/protocol/keys.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../engine/refusals.ts'

/** Encodes the sort values of the last row as an opaque text. A page after it costs the same at any depth. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** Decodes the sort values. Refuses a cursor that does not belong to this list. */
export function decodeCursor(cursor: string, kinds: readonly ('string' | 'number')[]): (string | number)[] {
  const values = parse(cursor)
  if (
    Array.isArray(values) &&
    values.length === kinds.length &&
    // no sort value contains a NUL, and the database would reject it
    values.every((value, index) => typeof value === kinds[index] && !String(value).includes('\0'))
  ) {
    return values as (string | number)[]
  }
  throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/**
 * A page from rows that were read with one row more than fits; `valuesOf` returns the sort values of a row. `found` is how many rows there
 * are, if the page is full with fewer.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  page: { item(row: Row): Item; valuesOf(row: Row): (string | number)[]; found?: number | undefined },
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => page.item(row)),
    nextCursor:
      (page.found ?? rows.length) > shown.length && last !== undefined
        ? encodeCursor(page.valuesOf(last))
        : null,
  }
}

/** The values of a cursor, or null on the first page. Refuses a cursor that does not belong to this list. */
export function cursorValues(
  cursor: string | undefined,
  kinds: readonly ('string' | 'number')[],
): (string | number)[] | null {
  return cursor === undefined ? null : decodeCursor(cursor, kinds)
}

/** A UUID of a cursor; any other text would cause a database error. */
export function cursorUuid(value: string | number | undefined): string {
  const uuid = Uuid.safeParse(value)
  if (uuid.success) return uuid.data
  throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
}

/** An integer of a cursor; any other number would cause a database error. */
export function cursorInteger(value: string | number | undefined): number {
  if (Number.isSafeInteger(value)) return Number(value)
  throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
}
