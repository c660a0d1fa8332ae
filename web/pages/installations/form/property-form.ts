import { getOwn } from '#contract/json-schema/get-own.ts'
import type { Changes, InstalledResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { groupProperties } from '../../../components/property-labels.ts'
import { locatorIn, writersIn, type Manifest } from '../../../components/manifest/writers.ts'
import type { Edit } from '../../../forms/edit.ts'

/**
 * What a property has when nobody touches it: its default, what stands now (an upgrade keeps it), what the last
 * configuration of a detached installation had, or nothing. `view` is null where that is not known.
 */
export type Fallback =
  | { from: 'default' | 'current' | 'copy'; view: PropertyView | null }
  | { from: 'nothing'; view: null }

export type FormField = {
  /** Unique in the form. */
  id: string
  locator: string
  property: string
  definition: PropertyDefinition
  fallback: Fallback
  /** A person must give it a value. */
  isNeeded: boolean
  /** In an upgrade: what the version makes of it. */
  mark: 'new' | 'changed' | null
}

export type FormResource = { locator: string; kind: ResourceKind; title: string; fields: FormField[] }

export type Edits = ReadonlyMap<string, Edit>

export const fieldId = (locator: string, property: string): string => `${locator}:${property}`

type Standing = { view: PropertyView | null; isKept: boolean }

/** What an install takes values from: nothing, or a configuration that may be known only to the runtime. */
export type Copied = ReadonlyMap<string, PropertyView> | 'unknown' | null

/** The fields of an install: everything that a person may give. */
export function installForm(manifest: Manifest, copied: Copied): FormResource[] {
  return formOf(manifest, ({ definition, id }) => {
    if (copied === 'unknown') return { fallback: { from: 'copy', view: null }, mark: null }
    const view = copied?.get(id)
    const fallback: Fallback = view === undefined ? defaultOf(definition) : { from: 'copy', view }
    return { fallback, mark: null }
  })
}

/** The fields of an upgrade: what the target defines anew or otherwise, and what it needs and has no value. */
export function upgradeForm(target: Manifest, installed: readonly InstalledResource[]): FormResource[] {
  const ledger = new Map(installed.map((resource) => [resource.locator, resource]))
  const form = formOf(target, ({ locator, property, definition }) => {
    const resource = ledger.get(locator)
    const earlier = resource && getOwn(resource.definitions, property)
    const standing = standingOf(resource, property, earlier, definition)
    const fallback: Fallback = standing.isKept
      ? { from: 'current', view: standing.view }
      : earlier === undefined || definition.required === true
        ? defaultOf(definition)
        : { from: 'nothing', view: null }
    const mark = earlier === undefined ? 'new' : sameMeaning(earlier, definition) ? null : 'changed'
    return { fallback, mark }
  })
  return form
    .map((resource) => ({
      ...resource,
      fields: resource.fields.filter(({ isNeeded, mark }) => isNeeded || mark !== null),
    }))
    .filter(({ fields }) => fields.length > 0)
}

/** What is sent: only what somebody touched. Unfinished text is no value; the form is not sent with it. */
export function changesOf(form: readonly FormResource[], edits: Edits): Changes {
  const changes: Record<string, Record<string, TypedValue | null>> = {}
  for (const field of form.flatMap(({ fields }) => fields)) {
    const edit = edits.get(field.id)
    if (edit === undefined || edit.kind === 'unfinished') continue
    const of = (changes[field.locator] ??= {})
    of[field.property] = edit.kind === 'set' ? edit.value : null
  }
  return changes
}

/** The value that a view shows, as a control takes it; null where there is none or where it is never shown. */
export function valueOf(view: PropertyView | null): TypedValue | null {
  if (view === null) return null
  if (view['@type'] !== 'Data') return view
  return 'isSensitive' in view ? null : { '@type': 'Data', value: view.value }
}

/** Whether there is a value, seen or not. */
export const isSet = ({ from, view }: Fallback): boolean =>
  from !== 'nothing' && (view === null || view['@type'] !== 'Data' || !('isSensitive' in view) || view.isSet)

type Place = { id: string; locator: string; property: string; definition: PropertyDefinition }

function formOf(
  manifest: Manifest,
  judge: (place: Place) => { fallback: Fallback; mark: FormField['mark'] },
): FormResource[] {
  const writers = writersIn(manifest)
  return manifest.resources.map((resource) => {
    const locator = locatorIn(manifest, resource)
    const fields = groupProperties(resource.properties)
      .flatMap(({ properties }) => properties)
      .filter(({ name }) => name !== INSTANCE_REF_PROPERTY && writers.get(locator)?.has(name) !== true)
      .map(({ name: property, definition }): FormField => {
        const id = fieldId(locator, property)
        const { fallback, mark } = judge({ id, locator, property, definition })
        const isNeeded = definition.required === true && !isSet(fallback)
        return { id, locator, property, definition, fallback, isNeeded, mark }
      })
    return { locator, kind: resource.kind, title: resource.title, fields }
  })
}

function defaultOf({ default: value }: PropertyDefinition): Fallback {
  return value === undefined
    ? { from: 'nothing', view: null }
    : { from: 'default', view: { '@type': 'Data', value } }
}

/** A sensitive value never becomes one that is shown: where the target shows it, it must be given anew. */
function standingOf(
  resource: InstalledResource | undefined,
  property: string,
  earlier: PropertyDefinition | undefined,
  definition: PropertyDefinition,
): Standing {
  const view = (resource && getOwn(resource.properties, property)) ?? null
  const isThere = view !== null && (view['@type'] !== 'Data' || !('isSensitive' in view) || view.isSet)
  const mayStay = earlier !== undefined && (earlier.isSensitive !== true || definition.isSensitive === true)
  return { view, isKept: isThere && mayStay }
}

/** Whether a value that fitted the one definition is told and checked the same way by the other. */
function sameMeaning(one: PropertyDefinition, other: PropertyDefinition): boolean {
  const meaning = ({ kind, schema, required, isSensitive }: PropertyDefinition): JsonValue => ({
    kind,
    schema: (schema ?? null) as JsonValue,
    required: required === true,
    isSensitive: isSensitive === true,
  })
  return deepEqual(meaning(one), meaning(other))
}
