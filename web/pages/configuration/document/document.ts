import type { Problem } from '#contract/json-schema/value-problem.ts'
import type { Configuration, ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { editAt, editOn, viewAt, type Draft, type DraftEdit, type DraftStep } from '../draft/draft.ts'
import { definitionOf } from '../draft/outline.ts'
import { editTo, isHidden, isSet, sameView, valueOf } from '../../../forms/property/property-value.ts'
import { isReferenceShape } from '../../../forms/property/is-reference-shape.ts'

/** A sensitive value that is left unchanged. */
const HIDDEN: JsonObject = { '@type': 'Data', isSensitive: true }

/**
 * The whole configuration, including the edits, as one document: locator → property → value. Data is plain JSON; references,
 * and data that would be taken for a typed value, are typed values. Of sensitive values, saved or typed, it contains only
 * that they exist.
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
  for (const [property, written] of Object.entries(properties)) {
    const at = path + pointerTo(property)
    const value = typed(written)
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
      const inside = isTyped(written) && value['@type'] === 'Data' ? `${at}/value` : at
      for (const problem of checkTypedValue(definition, value as TypedValue))
        reportValue(`${inside}${problem.path}`, problem)
    }
  }
  for (const property of Object.keys(resource.properties)) {
    const view = viewAt(resource, property)
    const isRemovable = !isWritten(resource, property) && !isHidden(view)
    if (Object.hasOwn(properties, property) || !isRemovable) continue
    edits.set(property, { kind: 'removed' })
  }
  return edits
}

/**
 * The document without what it cannot express at the moment: that stays as it was in `before`, the document that last
 * agreed with the draft.
 */
export function expressible(
  { wanted, problems }: Pick<DocumentReading, 'wanted' | 'problems'>,
  { before, document }: { before: JsonValue; document: JsonValue },
): JsonValue {
  const faulty = new Set(problems.filter(({ kind }) => kind !== 'value').map(({ path }) => path))
  const locators = new Set([...(isJsonObject(before) ? Object.keys(before) : []), ...wanted.keys()])
  return Object.fromEntries(
    [...locators].map((locator) => {
      const [old, typed] = [propertiesIn(before, locator), propertiesIn(document, locator)]
      const kept = (property: string) => faulty.has(pointerTo(locator, property))
      const entries = [
        ...Object.entries(typed).filter(([property]) => !kept(property)),
        ...Object.entries(old).filter(([property]) => kept(property)),
      ]
      return [locator, wanted.has(locator) ? Object.fromEntries(entries) : old]
    }),
  )
}

/**
 * The step from the current draft to the content of a document. Only what changed between `before` and `after`, the
 * `expressible` document as it last agreed with the draft and as it is now, becomes a step, so that it never overwrites
 * what was typed in the form or adopted from elsewhere since. The new edits are based on the configuration that the
 * document was generated from, so that it never overwrites what others have saved since, either. A value of that
 * configuration is an edit if `newest` has another one.
 */
export function stepTo(
  wanted: DocumentReading['wanted'],
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
  const step: DraftStep[number][] = []
  for (const [locator, edits] of wanted) {
    const resource = configuration.resources[locator]
    const [old, typed] = [propertiesIn(before, locator), propertiesIn(after, locator)]
    for (const property of new Set([...Object.keys(old), ...Object.keys(typed)])) {
      if (deepEqual(valueIn(old, property), valueIn(typed, property))) continue
      const known = editAt(draft, locator, property)
      const from = known ?? { base: viewAt(resource, property), version: configuration.snapshotVersion }
      const saved = viewAt(newest.resources[locator], property)
      const isSensitive = definitionOf(resource, property)?.isSensitive === true
      const edit = edits.get(property)
      if (edit !== undefined) {
        if (known === undefined || !deepEqual(known.edit, edit))
          step.push({ locator, property, next: editOn(from, edit, { saved, isSensitive }) })
        continue
      }
      // a document cannot express the removal of a hidden value, or a partial number
      if (known?.edit.kind === 'unfinished' || (known?.isSensitive === true && known.edit.kind === 'removed'))
        continue
      // the property has the value with which the document was generated: no edit, unless another one has been saved since
      const view = viewAt(resource, property)
      const isPlugins = isWritten(resource, property) || isWritten(newest.resources[locator], property)
      const isDiscarded = isPlugins || isHidden(view) || sameView(view, saved)
      const next = isDiscarded ? null : editOn(from, editTo(view), { saved, isSensitive })
      if (next !== null || known !== undefined) step.push({ locator, property, next })
    }
  }
  return step
}

const isWritten = (resource: ConfigurationResource | undefined, property: string): boolean =>
  resource !== undefined && Object.hasOwn(resource.writtenBy, property)

function propertiesIn(document: JsonValue, locator: string): JsonObject {
  const properties =
    isJsonObject(document) && Object.hasOwn(document, locator) ? document[locator] : undefined
  return properties !== undefined && isJsonObject(properties) ? properties : {}
}

const valueIn = (properties: JsonObject, property: string): JsonValue =>
  (Object.hasOwn(properties, property) ? properties[property] : null) ?? null

function isWrapped(value: JsonValue): value is JsonObject & { '@type': string } {
  if (!isJsonObject(value)) return false
  if (value['@type'] !== 'Data') return isReferenceShape(value)
  return Object.keys(value).every(
    (key) => key === '@type' || key === 'value' || (key === 'isSensitive' && value[key] === true),
  )
}
