import type { Configuration, ConfigurationResource } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { DocumentReading } from '../../../subjects/document/document.ts'
import { editTo, isHidden, sameView } from '../../../forms/property/property-value.ts'
import { editAt, editOn, viewAt, type Draft, type DraftStep } from '../draft/draft.ts'
import { definitionOf } from '../draft/outline.ts'

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
