import type { Problem } from '#contract/json-schema/problem.ts'
import type { Configuration, ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from '../../../forms/property/edit.ts'
import { editAt, editOn, viewAt, type Draft, type DraftEdit, type DraftStep } from '../editor/draft.ts'
import { definitionOf } from '../editor/outline.ts'
import { isHidden, isSet, valueOf } from '../../../forms/property/property-value.ts'
import { pointerTo } from '#contract/json-schema/pointer.ts'
import { isReferenceShape } from '../editor/is-reference-shape.ts'

/** A sensitive value that is left unchanged. */
const HIDDEN: JsonObject = { '@type': 'Data', isSensitive: true }

/**
 * The whole configuration, including the edits, as one document: locator → property → typed value. Of sensitive values,
 * saved or typed, it contains only that they exist.
 */
export function documentOf(configuration: Configuration, draft: Draft): JsonObject {
  return Object.fromEntries(
    Object.keys(configuration.resources)
      .toSorted()
      .map((locator) => [locator, resourceOf(configuration.resources[locator], draft[locator] ?? {})]),
  )
}

function resourceOf(resource: ConfigurationResource | undefined, edits: Draft[string]): JsonObject {
  const names = [...new Set([...Object.keys(resource?.properties ?? {}), ...Object.keys(edits)])].toSorted()
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = shown(viewAt(resource, name), edits[name])
      return value === null ? [] : [[name, value]]
    }),
  )
}

function shown(view: PropertyView | null, draftEdit: DraftEdit | undefined): JsonValue | null {
  const edit = draftEdit?.edit
  if (edit?.kind === 'removed') return null
  if (edit?.kind === 'set') return draftEdit?.isSensitive === true ? HIDDEN : edit.value
  if (!isSet(view)) return null
  return isHidden(view) ? HIDDEN : view
}

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
export function readDocument(document: JsonValue, configuration: Configuration): DocumentReading {
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
  resource: ConfigurationResource
  properties: JsonObject
  path: string
  report: Report
  reportValue: (path: string, problem: Problem) => void
}): Map<string, Edit> {
  const edits = new Map<string, Edit>()
  for (const [property, value] of Object.entries(properties)) {
    const at = path + pointerTo(property)
    const view = viewAt(resource, property)
    if (deepEqual(value, isHidden(view) ? HIDDEN : view)) continue
    const plugin = Object.hasOwn(resource.writtenBy, property) ? resource.writtenBy[property] : undefined
    const definition = definitionOf(resource, property)
    if (plugin !== undefined) report(at, 'writtenByPlugin', plugin)
    else if (definition === undefined) report(at, 'unknownProperty', property)
    else if (!isWrapped(value)) report(at, 'wrapper')
    else if (value['@type'] === 'Data' && !('value' in value)) {
      // a hidden value that is not set: there is nothing to keep
      if (definition.isSensitive !== true) report(at, 'hidden')
    } else {
      edits.set(property, { kind: 'set', value: value as TypedValue })
      const inside = value['@type'] === 'Data' ? `${at}/value` : at
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

/**
 * The step from the current draft to the content of a document. Only what changed between `before` and `after`, the
 * document as it last agreed with the draft and as it is now, becomes a step, so that it never overwrites what was typed
 * in the form or adopted from elsewhere since. The new edits are based on the configuration that the document was
 * generated from, so that it never overwrites what others have saved since, either. A value of that configuration is an
 * edit if `newest` has another one.
 */
export function stepTo(
  { wanted, problems }: Pick<DocumentReading, 'wanted' | 'problems'>,
  {
    configuration,
    newest,
    draft,
    before,
    after,
  }: {
    /** The document was generated from it. */
    configuration: Configuration
    newest: Configuration
    draft: Draft
    before: JsonValue
    after: JsonValue
  },
): DraftStep {
  const isChanged = (locator: string, property: string) =>
    !deepEqual(valueIn(before, locator, property), valueIn(after, locator, property))
  const step: DraftStep[number][] = []
  for (const [locator, edits] of wanted) {
    const resource = configuration.resources[locator]
    for (const [property, edit] of edits) {
      if (!isChanged(locator, property)) continue
      const known = editAt(draft, locator, property)
      if (known !== undefined && deepEqual(known.edit, edit)) continue
      const isSensitive = definitionOf(resource, property)?.isSensitive === true
      const base = known === undefined ? viewAt(resource, property) : known.base
      const version = known === undefined ? configuration.snapshotVersion : known.version
      step.push({
        locator,
        property,
        next: editOn({ base, version }, edit, {
          saved: viewAt(newest.resources[locator], property),
          isSensitive,
        }),
      })
    }
  }
  // what the document cannot express at the moment stays as it is
  const faulty = new Set(problems.filter(({ kind }) => kind !== 'value').map(({ path }) => path))
  for (const [locator, edits] of wanted) {
    const resource = configuration.resources[locator]
    const names = new Set([...namesIn(before, locator), ...namesIn(after, locator)])
    for (const property of names) {
      if (edits.has(property) || !isChanged(locator, property)) continue
      if (faulty.has(pointerTo(locator, property))) continue
      const known = editAt(draft, locator, property)
      // a document cannot express the removal of a hidden value, or a partial number
      if (known?.edit.kind === 'unfinished' || (known?.isSensitive === true && known.edit.kind === 'removed'))
        continue
      const saved = newest.resources[locator]
      const next =
        isWritten(resource, property) || isWritten(saved, property)
          ? null
          : backTo(viewAt(resource, property), {
              version: configuration.snapshotVersion,
              saved: viewAt(saved, property),
              known,
            })
      if (next !== null || known !== undefined) step.push({ locator, property, next })
    }
  }
  return step
}

/**
 * The document that agrees with the draft after `stepTo`: what the document cannot express at the moment stays as it was
 * in the one before.
 */
export function agreedAfter(
  { wanted, problems }: Pick<DocumentReading, 'wanted' | 'problems'>,
  { before, after }: { before: JsonValue; after: JsonValue },
): JsonValue {
  const faulty = new Set(problems.filter(({ kind }) => kind !== 'value').map(({ path }) => path))
  const locators = new Set([...(isJsonObject(before) ? Object.keys(before) : []), ...wanted.keys()])
  return Object.fromEntries(
    [...locators].map((locator) => {
      const names = new Set([...namesIn(before, locator), ...namesIn(after, locator)])
      const entries = [...names].flatMap((property) => {
        const isKept = !wanted.has(locator) || faulty.has(pointerTo(locator, property))
        const value = valueIn(isKept ? before : after, locator, property)
        return value === null ? [] : [[property, value] as const]
      })
      return [locator, Object.fromEntries(entries)]
    }),
  )
}

/** The edit that remains when the document has its first value again: none, unless somebody has saved another value since. */
function backTo(
  view: PropertyView | null,
  { version, saved, known }: { version: number; saved: PropertyView | null; known: DraftEdit | undefined },
): DraftEdit | null {
  if (isHidden(view) || deepEqual(view, saved)) return null
  const value = valueOf(view)
  const edit: Edit = value === null ? { kind: 'removed' } : { kind: 'set', value }
  return editOn(known ?? { base: view, version }, edit, { saved, isSensitive: known?.isSensitive === true })
}

const isWritten = (resource: ConfigurationResource | undefined, property: string): boolean =>
  resource !== undefined && Object.hasOwn(resource.writtenBy, property)

function namesIn(document: JsonValue, locator: string): string[] {
  const properties =
    isJsonObject(document) && Object.hasOwn(document, locator) ? document[locator] : undefined
  return properties !== undefined && isJsonObject(properties) ? Object.keys(properties) : []
}

function valueIn(document: JsonValue, locator: string, property: string): JsonValue {
  const properties = isJsonObject(document) && Object.hasOwn(document, locator) ? document[locator] : null
  if (properties === undefined || !isJsonObject(properties) || !Object.hasOwn(properties, property))
    return null
  return properties[property] ?? null
}

function isWrapped(value: JsonValue): value is JsonObject & { '@type': string } {
  if (!isJsonObject(value)) return false
  if (value['@type'] !== 'Data') return isReferenceShape(value)
  return Object.keys(value).every(
    (key) => key === '@type' || key === 'value' || (key === 'isSensitive' && value[key] === true),
  )
}
