import type { PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import { isPropertyName, parseLocator } from '#contract/protocol/locator.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from '../../../forms/edit.ts'
import { allEdits, takeStep, type Draft, type DraftEdit, type PropertyPlace } from './draft.ts'

/** A draft as it is kept in the browser: what is sensitive is only named, so that it can be said that it was not kept. */
export interface StoredDraft {
  edits: Draft
  withheld: readonly PropertyPlace[]
}

export function writeDraft(draft: Draft): string {
  const edits = allEdits(draft)
  return JSON.stringify({
    format: 1,
    edits: edits
      .filter(({ isSensitive }) => !isSensitive)
      .map(({ locator, property, edit, base, version }) => ({ locator, property, edit, base, version })),
    withheld: edits
      .filter(({ isSensitive }) => isSensitive)
      .map(({ locator, property }) => ({ locator, property })),
  })
}

/** Reads what may have been written by another version, cut off, or edited by hand: what is not understood is left out. */
export function readDraft(text: string | null): StoredDraft {
  const stored = parse(text)
  if (!isJsonObject(stored) || stored['format'] !== 1) return { edits: {}, withheld: [] }
  const edits = listOf(stored['edits']).flatMap((item) => {
    const place = placeOf(item)
    const next = isJsonObject(item) ? editOf(item) : null
    return place === null || next === null ? [] : [{ ...place, next }]
  })
  const withheld = listOf(stored['withheld']).flatMap((item) => placeOf(item) ?? [])
  return { edits: takeStep({}, edits), withheld }
}

function editOf(item: Record<string, unknown>): DraftEdit | null {
  const { edit, base, version } = item
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return null
  if (base !== null && !isTyped(base)) return null
  const read = readEdit(edit)
  return read === null ? null : { edit: read, base: base as PropertyView | null, version, isSensitive: false }
}

function readEdit(edit: unknown): Edit | null {
  if (!isJsonObject(edit)) return null
  if (edit['kind'] === 'removed') return { kind: 'removed' }
  if (edit['kind'] === 'unfinished' && typeof edit['text'] === 'string')
    return { kind: 'unfinished', text: edit['text'] }
  if (edit['kind'] === 'set' && isTyped(edit['value']))
    return { kind: 'set', value: edit['value'] as unknown as TypedValue }
  return null
}

/** In the shape of a typed value, as far as showing it asks for; whether it is valid is judged where it is edited. */
function isTyped(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  switch (value['@type']) {
    case 'Data':
      return 'value' in value || value['isSensitive'] === true
    case 'ServiceReference':
      return isReference(value)
    case 'ServiceReferenceMap':
      return isJsonObject(value['valueMap']) && Object.values(value['valueMap']).every(isReference)
    case 'ServiceReferenceList':
      return Array.isArray(value['valueList']) && value['valueList'].every(isReference)
    default:
      return false
  }
}

const isReference = (value: unknown): boolean =>
  isJsonObject(value) && value['@type'] === 'ServiceReference' && typeof value['serviceId'] === 'string'

function placeOf(item: unknown): PropertyPlace | null {
  if (!isJsonObject(item)) return null
  const { locator, property } = item
  if (typeof locator !== 'string' || typeof property !== 'string') return null
  return parseLocator(locator) !== null && isPropertyName(property) ? { locator, property } : null
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function parse(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
