import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/domain-error.ts'

/** The last row's sort values as an opaque text; a page after it costs the same at any depth. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** The values of a cursor, or a refusal where it is not one of this list. */
export function decodeCursor(cursor: string, kinds: readonly ('string' | 'number')[]): (string | number)[] {
  const values = parse(cursor)
  if (
    Array.isArray(values) &&
    values.length === kinds.length &&
    // a NUL is in no value of ours, and the database would complain of it
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
