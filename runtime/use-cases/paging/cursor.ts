import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'

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
