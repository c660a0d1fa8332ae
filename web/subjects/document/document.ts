import type { Problem } from '#contract/json-schema/value-problem.ts'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual, getOwn, isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { isHidden, isReferenceShape, isSet, valueOf } from '../../forms/property/property-value.ts'

/** What a document is generated from and compared with: the values of resources, by locator. */
export interface DocumentValues {
  resources: Readonly<Record<string, DocumentResource>>
}

interface DocumentResource {
  properties: Readonly<Record<string, PropertyView>>
  definitions: Readonly<Record<string, PropertyDefinition>>
  /** The plugin that writes a property; people may not. */
  writtenBy: Readonly<Record<string, string>>
}

/** By locator and property. */
export type DocumentEdits = Readonly<
  Record<string, Readonly<Record<string, { edit: Edit; isSensitive: boolean }>>>
>

const viewAt = (resource: DocumentResource | undefined, property: string): PropertyView | null =>
  getOwn(resource?.properties ?? {}, property) ?? null

/** A sensitive value that is left unchanged. */
const HIDDEN: JsonObject = { '@type': 'Data', isSensitive: true }

/**
 * The whole configuration, including the edits, as one document: locator → property → value. Data is plain JSON; references,
 * and data that would be taken for a typed value, are typed values. Of sensitive values, saved or typed, it contains only
 * that they exist.
 */
export function documentOf(configuration: DocumentValues, draft: DocumentEdits): JsonObject {
  return Object.fromEntries(
    Object.keys(configuration.resources)
      .toSorted()
      .map((locator) => [locator, resourceOf(configuration.resources[locator], draft[locator] ?? {})]),
  )
}

function resourceOf(resource: DocumentResource | undefined, edits: DocumentEdits[string]): JsonObject {
  const names = [...new Set([...Object.keys(resource?.properties ?? {}), ...Object.keys(edits)])].toSorted()
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = shown(viewAt(resource, name), edits[name])
      return value === null ? [] : [[name, value]]
    }),
  )
}

function shown(
  view: PropertyView | null,
  draftEdit: DocumentEdits[string][string] | undefined,
): JsonValue | null {
  const edit = draftEdit?.edit
  if (edit?.kind === 'removed') return null
  if (edit?.kind === 'set') return draftEdit?.isSensitive === true ? HIDDEN : plain(edit.value)
  if (!isSet(view)) return null
  const value = valueOf(view)
  return value === null ? HIDDEN : plain(value)
}

/** Data as it is written here. */
function plain(value: TypedValue): JsonValue {
  if (value['@type'] !== 'Data') return value
  return isTyped(value.value) ? value : value.value
}

const isTyped = (value: JsonValue): value is JsonObject =>
  isJsonObject(value) && Object.hasOwn(value, '@type')

/** A value as it is written here, as a typed value. */
const typed = (value: JsonValue): JsonObject => (isTyped(value) ? value : { '@type': 'Data', value })

/** An error in the document outside the value of a property; `path` is a JSON pointer. */
export type DocumentProblem = {
  path: string
  keyword: string
} & (
  | {
      kind: 'object' | 'unknownResource' | 'unknownProperty' | 'wrapper' | 'hidden' | 'writtenByPlugin'
      /** The name that is inserted into the error text. */
      detail: string
    }
  | { kind: 'value'; problem: Problem }
)

type Report = (path: string, kind: Exclude<DocumentProblem['kind'], 'value'>, detail?: string) => void

export interface DocumentReading {
  /** The edit for each property that the document changes. */
  wanted: ReadonlyMap<string, ReadonlyMap<string, Edit>>
  problems: DocumentProblem[]
  /** Resources of the configuration that are missing in the document: they stay unchanged. */
  omitted: string[]
}

/** Finds the changes of a document relative to the configuration that it was generated from. */
export function readDocument(document: JsonValue, configuration: DocumentValues): DocumentReading {
  const problems: DocumentProblem[] = []
  const report: Report = (path, kind, detail = '') => {
    problems.push({ path, keyword: kind, kind, detail })
  }
  const reportValue = (path: string, problem: Problem): void => {
    problems.push({ path, keyword: problem.keyword, kind: 'value', problem })
  }
  const wanted = new Map<string, Map<string, Edit>>()
  if (!isJsonObject(document)) {
    report('', 'object')
    return { wanted, problems, omitted: [] }
  }
  for (const [locator, properties] of Object.entries(document)) {
    const path = pointerTo(locator)
    const resource = Object.hasOwn(configuration.resources, locator)
      ? configuration.resources[locator]
      : undefined
    if (resource === undefined) report(path, 'unknownResource', locator)
    else if (!isJsonObject(properties)) report(path, 'object')
    else wanted.set(locator, readResource({ resource, properties, path, report, reportValue }))
  }
  const omitted = Object.keys(configuration.resources).filter((locator) => !Object.hasOwn(document, locator))
  return { wanted, problems, omitted }
}

function readResource({
  resource,
  properties,
  path,
  report,
  reportValue,
}: {
  resource: DocumentResource
  properties: JsonObject
  path: string
  report: Report
  reportValue: (path: string, problem: Problem) => void
}): Map<string, Edit> {
  const edits = new Map<string, Edit>()
  for (const [property, written] of Object.entries(properties)) {
    const at = path + pointerTo(property)
    const value = typed(written)
    const view = viewAt(resource, property)
    if (deepEqual(value, isHidden(view) ? HIDDEN : view)) continue
    const plugin = Object.hasOwn(resource.writtenBy, property) ? resource.writtenBy[property] : undefined
    const definition = getOwn(resource.definitions, property)
    if (plugin !== undefined) report(at, 'writtenByPlugin', plugin)
    else if (definition === undefined) report(at, 'unknownProperty', property)
    else if (!isWrapped(value)) report(at, 'wrapper')
    else if (value['@type'] === 'Data' && !('value' in value)) {
      // a hidden value that is not set: there is nothing to keep
      if (definition.isSensitive !== true) report(at, 'hidden')
    } else {
      edits.set(property, { kind: 'set', value: value as TypedValue })
      const inside = isTyped(written) && value['@type'] === 'Data' ? `${at}/value` : at
      for (const problem of checkTypedValue(definition, value as TypedValue))
        reportValue(`${inside}${problem.path}`, problem)
    }
  }
  for (const property of Object.keys(resource.properties)) {
    const view = viewAt(resource, property)
    const isRemovable = !Object.hasOwn(resource.writtenBy, property) && !isHidden(view)
    if (Object.hasOwn(properties, property) || !isRemovable) continue
    edits.set(property, { kind: 'removed' })
  }
  return edits
}

function isWrapped(value: JsonValue): value is JsonObject & { '@type': string } {
  if (!isJsonObject(value)) return false
  if (value['@type'] !== 'Data') return isReferenceShape(value)
  return Object.keys(value).every(
    (key) => key === '@type' || key === 'value' || (key === 'isSensitive' && value[key] === true),
  )
}
