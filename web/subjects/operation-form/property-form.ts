import { getOwn, deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Changes, InstalledResource, PropertyView } from '#contract/console-api/shapes.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { placeBound, servicesIn, type ArrivingValue } from '../scopes/place-bound.ts'
import { groupProperties } from '../../forms/property/property-labels.ts'
import { locatorIn, writersIn, type Manifest } from '../manifest/writers.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { fieldId, type FieldId } from '../../forms/property/property-place.ts'
import { isSet } from '../../forms/property/property-value.ts'

/**
 * The value of a property that nobody enters: its default, its current value (which an upgrade keeps), its value in the
 * last configuration of a detached installation, or none. `view` is null if the value is not known here; `unknown` is where it
 * is not even known whether there is one, or where it differs between the installations that share a field.
 */
export type Fallback =
  | { from: 'default' | 'current' | 'copy'; view: PropertyView | null }
  | { from: 'nothing' | 'unknown' | 'loading'; view: null }

export type FormField = {
  id: FieldId
  locator: string
  property: string
  definition: PropertyDefinition
  fallback: Fallback
  /** A person must enter a value. */
  isNeeded: boolean
  /** The copied configuration has a value for it, which belongs to another place and is not taken. */
  isHeld?: boolean
  /** In an upgrade: how the new version changes the property. */
  mark: 'new' | 'changed' | null
  /** In a form of one property in several installations: the installation, whose scope names the field. */
  target?: { label: string; scope: Scope }
}

export type FormResource = {
  /** Empty if the field is for resources of several bundles. */
  locator: string
  kind: ResourceKind
  title: string
  /** Of the property, in a form of one property in several installations. */
  help?: string
  fields: FormField[]
}

export type Edits = ReadonlyMap<FieldId, Edit>

type Current = { view: PropertyView | null; isKept: boolean }

/** The values that an install copies: none, or a configuration that may be known only to the runtime. */
export type Copied = ReadonlyMap<FieldId, PropertyView> | 'unknown' | null

/**
 * The fields of an install: every property that a person may set.
 *
 * @param held Properties whose copied values are not taken.
 */
export function installForm(
  manifest: Manifest,
  copied: Copied,
  held: ReadonlySet<FieldId> = new Set(),
): FormResource[] {
  return formOf(manifest, ({ definition, id }) => {
    if (held.has(id)) return { fallback: defaultOf(definition), mark: null, isHeld: true }
    if (copied === 'unknown') return { fallback: { from: 'copy', view: null }, mark: null }
    const view = copied?.get(id)
    const fallback: Fallback = view === undefined ? defaultOf(definition) : { from: 'copy', view }
    return { fallback, mark: null }
  })
}

/**
 * The fields of an upgrade: properties that the target adds or redefines, and required ones without a value.
 *
 * @param shown Fields that stay although the installation has a value by now, because someone may be typing in them.
 */
export function upgradeForm(
  target: Manifest,
  installed: readonly InstalledResource[],
  shown: ReadonlySet<FieldId>,
): FormResource[] {
  const ledger = new Map(installed.map((resource) => [resource.locator, resource]))
  const form = formOf(target, ({ locator, property, definition }) => {
    const resource = ledger.get(locator)
    const earlier = resource && getOwn(resource.definitions, property)
    const current = currentOf(resource, property, earlier, definition)
    const fallback: Fallback = current.isKept
      ? { from: 'current', view: current.view }
      : earlier === undefined || definition.required === true
        ? defaultOf(definition)
        : { from: 'nothing', view: null }
    const mark = earlier === undefined ? 'new' : sameMeaning(earlier, definition) ? null : 'changed'
    return { fallback, mark }
  })
  return form
    .map((resource) => ({
      ...resource,
      fields: resource.fields.filter(({ id, isNeeded, mark }) => isNeeded || mark !== null || shown.has(id)),
    }))
    .filter(({ fields }) => fields.length > 0)
}

/** The edits to send. Unfinished text is not a value, and the form is not sent with it. */
export function changesOf(form: readonly FormResource[], edits: Edits): Changes {
  const changes: Record<string, Record<string, TypedValue | null>> = {}
  for (const field of form.flatMap(({ fields }) => fields)) {
    const edit = edits.get(field.id)
    if (edit?.kind === 'unfinished' || (edit === undefined && field.isHeld !== true)) continue
    const of = (changes[field.locator] ??= {})
    // the runtime would copy what is not named
    of[field.property] = edit === undefined ? defaultIn(field) : edit.kind === 'set' ? edit.value : null
  }
  return changes
}

const defaultIn = ({ definition: { default: value } }: FormField): TypedValue | null =>
  value === undefined ? null : { '@type': 'Data', value }

/** What belongs to the place of a copied configuration, and is taken only if a person wants it. */
export function leftBehind(
  manifest: Manifest,
  copied: Exclude<Copied, null>,
  from: Scope,
): (ArrivingValue & { id: FieldId; definition: PropertyDefinition; resource: string })[] {
  const fields = formOf(manifest, () => ({ fallback: { from: 'nothing', view: null }, mark: null })).flatMap(
    ({ title, fields: own }) => own.map((field) => ({ ...field, resource: title })),
  )
  const resources = Object.fromEntries(
    manifest.resources.map((resource) => [
      locatorIn(manifest, resource),
      { definitions: resource.properties },
    ]),
  )
  // of a configuration that only the runtime knows, the definitions still say which values are addresses
  const values = fields.flatMap((field) => {
    const value = copied === 'unknown' ? null : copied.get(field.id)
    return value === undefined ? [] : [{ ...field, value }]
  })
  // the plan says which services the scope may not use
  const usable = new Set(servicesIn(values))
  const bounds = placeBound(values, { resources }, { from, source: null, usable })
  return values.flatMap((value, index) => {
    const bound = bounds[index]?.bound ?? null
    return bound === null ? [] : [{ ...value, bound }]
  })
}

/** Whether an edit gives a property a value. */
export const isEntered = (edit: Edit | undefined): boolean => edit?.kind === 'set'

/** Whether there is a value, visible or not; null if that is not known. */
export const hasValue = ({ from, view }: Fallback): boolean | null =>
  from === 'unknown' || from === 'loading' ? null : from !== 'nothing' && (view === null || isSet(view))

type Place = { id: FieldId; locator: string; property: string; definition: PropertyDefinition }

function formOf(
  manifest: Manifest,
  judge: (place: Place) => { fallback: Fallback; mark: FormField['mark']; isHeld?: boolean },
): FormResource[] {
  const writers = writersIn(manifest)
  return manifest.resources.map((resource) => {
    const locator = locatorIn(manifest, resource)
    const fields = groupProperties(resource.properties)
      .flatMap(({ properties }) => properties)
      .filter(({ name }) => name !== INSTANCE_REF_PROPERTY && writers.get(locator)?.has(name) !== true)
      .map(({ name: property, definition }): FormField => {
        const id = fieldId(locator, property)
        const { fallback, mark, isHeld } = judge({ id, locator, property, definition })
        const isNeeded = definition.required === true && hasValue(fallback) === false
        return {
          id,
          locator,
          property,
          definition,
          fallback,
          isNeeded,
          mark,
          ...(isHeld === true && { isHeld }),
        }
      })
    return { locator, kind: resource.kind, title: resource.title, fields }
  })
}

function defaultOf({ default: value }: PropertyDefinition): Fallback {
  return value === undefined
    ? { from: 'nothing', view: null }
    : { from: 'default', view: { '@type': 'Data', value } }
}

/** A sensitive value never becomes visible: if the target no longer marks it as sensitive, it must be entered again. */
function currentOf(
  resource: InstalledResource | undefined,
  property: string,
  earlier: PropertyDefinition | undefined,
  definition: PropertyDefinition,
): Current {
  const view = (resource && getOwn(resource.properties, property)) ?? null
  const mayStay = earlier !== undefined && (earlier.isSensitive !== true || definition.isSensitive === true)
  return { view, isKept: isSet(view) && mayStay }
}

/** Whether two definitions display and validate a value in the same way. */
function sameMeaning(one: PropertyDefinition, other: PropertyDefinition): boolean {
  const meaning = ({ kind, schema, required, isSensitive }: PropertyDefinition): JsonValue => ({
    kind,
    schema: (schema ?? null) as JsonValue,
    required: required === true,
    isSensitive: isSensitive === true,
  })
  return deepEqual(meaning(one), meaning(other))
}
