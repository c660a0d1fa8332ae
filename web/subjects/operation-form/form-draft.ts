import * as z from 'zod/mini'
import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import { announceDraftChange, operationDraftKey, type OperationDraftPlace } from '../drafts/stored-drafts.ts'
import { type Edit, editsIn, FormEdit, type PropertyFormValues } from '../../forms/property/property-edit.ts'
import { isReferenceShape } from '../../forms/property/property-value.ts'
import type { FieldId } from '../../forms/property/property-place.ts'
import type { FormResource } from './property-form.ts'

/** A form whose input is kept in this browser. */
interface DraftOf {
  personId: string
  place: OperationDraftPlace
  /** Of the bundle. */
  title: string
}

const StoredEdit = z.union([
  z.object({ kind: z.literal('set'), value: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal('removed') }),
  z.object({
    kind: z.literal('unfinished'),
    text: z.string(),
    isPartialNumber: z.optional(z.literal(true)),
    inside: z.optional(
      z.object({
        value: z.json(),
        parts: z.record(
          z.string(),
          z.object({
            text: z.optional(z.string()),
            isPartialNumber: z.optional(z.literal(true)),
            key: z.optional(z.string()),
          }),
        ),
      }),
    ),
  }),
])
const Stored = z.object({
  edits: z.record(z.string(), StoredEdit),
  reason: z.string(),
  since: z.number(),
  base: z.nullable(z.number()),
  /** The values of another place that the person ticked, of a copied configuration. */
  ticked: z.optional(z.array(z.string())),
  place: z.unknown(),
  /** The form of the edits that are not fields of the one at `place`. */
  otherPlace: z.optional(z.unknown()),
})

/** Restored input; `base` is the snapshot that the values were based on. */
export interface RestoredDraft {
  values: OperationValues
  ticked: ReadonlySet<FieldId>
  since: number
  base: number | null
}

/** The stored input of a form, for the fields that it has now; null if there is none. */
export function readFormDraft(draft: DraftOf, resources: readonly FormResource[]): RestoredDraft | null {
  const { data } = Stored.safeParse(parse(itemOf(draft)))
  if (data === undefined) return null
  const edits: OperationValues['edits'] = {}
  for (const field of storableFields(resources)) {
    const edit = data.edits[field.id]
    if (edit !== undefined && isEdit(edit)) edits[field.id] = new FormEdit(edit)
  }
  const ticked = new Set(data.ticked)
  const isEmpty = Object.keys(edits).length === 0 && data.reason.trim() === '' && ticked.size === 0
  const { reason, since, base } = data
  return isEmpty ? null : { values: { edits, reason }, ticked, since, base }
}

/**
 * Stores the input of a form, without sensitive values; removes it if nothing is left. What was stored for the properties
 * of another version stays.
 */
export function writeFormDraft(
  draft: DraftOf,
  resources: readonly FormResource[],
  { values, ticked = NOTHING }: OperationInput,
  base: number | null,
): void {
  const all = editsIn(values)
  const stored = Stored.safeParse(parse(itemOf(draft))).data
  const known = new Set(resources.flatMap(({ fields }) => fields.map(({ id }) => id)))
  const others = Object.entries(stored?.edits ?? {}).filter(([id]) => !known.has(id))
  const own = storableFields(resources).flatMap(({ id }) => {
    const edit = all.get(id)
    return edit === undefined ? [] : [[id, edit] as const]
  })
  const hasOwn = own.length > 0 || values.reason.trim() !== '' || ticked.size > 0
  const hasOthers = stored !== undefined && others.length > 0
  if (!hasOwn && !hasOthers) return removeFormDraft(draft)
  const isElsewhere = hasOthers && JSON.stringify(stored.place) !== JSON.stringify(draft.place)
  const otherPlace = hasOthers ? (isElsewhere ? stored.place : stored.otherPlace) : undefined
  const item = {
    place: hasOwn ? draft.place : (otherPlace ?? draft.place),
    ...(hasOwn && otherPlace !== undefined && { otherPlace }),
    title: draft.title,
    edits: Object.fromEntries([...others, ...own]),
    reason: values.reason,
    ...(ticked.size > 0 && { ticked: [...ticked] }),
    since: stored?.since ?? Date.now(),
    base: hasOthers ? earlier(stored.base, base) : base,
  }
  try {
    localStorage.setItem(keyOf(draft), JSON.stringify(item))
  } catch {
    // without storage, or when it is full, the input exists only in the form
  }
  announceDraftChange()
}

/** The snapshot to compare with, of edits that were based on either: the form then names every later change. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

export function removeFormDraft(draft: DraftOf): void {
  try {
    localStorage.removeItem(keyOf(draft))
  } catch {
    // nothing is stored
  }
  announceDraftChange()
}

/** Whether there is input that is not stored, because it is sensitive. */
export function hasSensitiveInput(resources: readonly FormResource[], values: OperationValues): boolean {
  const storable = new Set(storableFields(resources).map(({ id }) => id))
  return [...editsIn(values).keys()].some((id) => !storable.has(id))
}

const storableFields = (resources: readonly FormResource[]) =>
  resources.flatMap(({ fields }) => fields.filter(({ definition }) => definition.isSensitive !== true))

const keyOf = ({ personId, place }: DraftOf): string =>
  operationDraftKey(
    personId,
    place.kind === 'INSTALL'
      ? `install/${place.search.bundleEnvironmentKey}/${place.search.bundleId}`
      : `upgrade/${place.bundleInstallId}`,
  )

const isEdit = (edit: z.infer<typeof StoredEdit>): edit is Edit =>
  edit.kind !== 'set' ||
  (edit.value['@type'] === 'Data' && 'value' in edit.value) ||
  isReferenceShape(edit.value)

function itemOf(draft: DraftOf): string {
  try {
    return localStorage.getItem(keyOf(draft)) ?? ''
  } catch {
    return ''
  }
}

function parse(text: string): unknown {
  try {
    return parseTrustedJson(text)
  } catch {
    return undefined
  }
}

/** The input for an INSTALL or UPGRADE. */
export interface OperationValues extends PropertyFormValues {
  reason: string
}

/** Keeps the input while the form is unmounted: another version is loading, or cannot be loaded. */
export interface OperationInput {
  values: OperationValues
  /** The values of a copied configuration that belong to another place and are copied anyway. */
  ticked?: ReadonlySet<FieldId>
}

/** Keeps what is ticked for the form of another version. */
export function keepTicked(input: OperationInput, ticked: ReadonlySet<FieldId>): void {
  input.ticked = ticked
}

const NOTHING: ReadonlySet<FieldId> = new Set()

export const emptyInput = (): OperationInput => ({ values: { edits: {}, reason: '' } })

/** Whether something is entered, also while the form is unmounted. */
export const hasInput = ({ values }: OperationInput): boolean =>
  editsIn(values).size > 0 || values.reason.trim() !== ''
