import { createHash } from 'node:crypto'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../../contract/json-schema/json.ts'

/** The SHA-256 of the canonical form (RFC 8785) of a JSON value, in lower-case hexadecimal. */
export const digestOf = (json: JsonValue): string =>
  createHash('sha256').update(canonicalOf(json)).digest('hex')

function canonicalOf(json: JsonValue): string {
  if (Array.isArray(json)) return `[${json.map(canonicalOf).join(',')}]`
  if (!isJsonObject(json)) return JSON.stringify(json)
  // the default order is that of UTF-16 code units, as RFC 8785 requires
  const members = Object.entries(json).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${canonicalOf(value)}`).join(',')}}`
}
