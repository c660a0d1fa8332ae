import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit, Part, Parts } from '../../../forms/property/property-edit.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'
import type { DraftEdit } from './draft.ts'
import { isReferenceShape } from '../../../forms/property/property-value.ts'

const FORMAT = 2

/**
 * An edit as the browser stores it, or `withheld`: of a sensitive edit, only the name is stored, so that the page can
 * report it as not kept.
 */
export type StoredEdit = DraftEdit | 'withheld'

export function writeEdit({ edit, base, version, isSensitive }: DraftEdit): string {
  return JSON.stringify(
    isSensitive ? { format: FORMAT, withheld: true } : { format: FORMAT, edit, base, version },
  )
}

/** Parses a stored edit; null if it is invalid, for example truncated or written by another version. */
export function readEdit(text: string | null): StoredEdit | null {
  const stored = parse(text)
  if (!isJsonObject(stored) || stored['format'] !== FORMAT) return null
  return stored['withheld'] === true ? 'withheld' : editOf(stored)
}

/** The name under which the browser stores the edit of a place; neither locators nor property names contain spaces. */
export const storedName = ({ locator, property }: PropertyPlace): string => `${locator} ${property}`

function editOf(item: Record<string, unknown>): DraftEdit | null {
  const { edit, base, version } = item
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return null
  if (base !== null && !isTyped(base)) return null
  const read = editIn(edit)
  return read === null ? null : { edit: read, base: base as PropertyView | null, version, isSensitive: false }
}

function editIn(edit: unknown): Edit | null {
  if (!isJsonObject(edit)) return null
  if (edit['kind'] === 'removed') return { kind: 'removed' }
  if (edit['kind'] === 'unfinished' && typeof edit['text'] === 'string') {
    const inside = insideIn(edit['inside'])
    return {
      kind: 'unfinished',
      text: edit['text'],
      ...(edit['isPartialNumber'] === true && { isPartialNumber: true }),
      ...(inside !== null && { inside }),
    }
  }
  if (edit['kind'] === 'set' && isTyped(edit['value']))
    return { kind: 'set', value: edit['value'] as unknown as TypedValue }
  return null
}

/** Where an edit is unfinished inside its value; null if it is not, or if this cannot be read. */
function insideIn(inside: unknown): { value: JsonValue; parts: Parts } | null {
  if (!isJsonObject(inside) || !isJsonObject(inside['parts']) || inside['value'] === undefined) return null
  const parts: Record<string, Part> = {}
  for (const [pointer, part] of Object.entries(inside['parts'])) {
    if (!isJsonObject(part)) return null
    const { text, key, isPartialNumber } = part
    parts[pointer] = {
      ...(typeof text === 'string' && { text }),
      ...(typeof key === 'string' && { key }),
      ...(isPartialNumber === true && { isPartialNumber }),
    }
  }
  return { value: inside['value'], parts }
}

/** Whether it has the structure of a typed value, which is enough to show it; its field validates it. */
function isTyped(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  if (value['@type'] === 'Data') return 'value' in value || value['isSensitive'] === true
  return isReferenceShape(value)
}

function parse(text: string | null): unknown {
  if (text === null) return null
  try {
    return parseTrustedJson(text)
  } catch {
    return null
  }
}
