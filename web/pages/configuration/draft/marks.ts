import type { Configuration } from '#contract/console-api/shapes.ts'
import { editError } from '../../../forms/property/edit-error.ts'
import { fieldId, type FieldId } from '../../../forms/property/property-place.ts'
import type { Translate } from '../../../i18n/use-text.ts'
import { allEdits, type Draft } from './draft.ts'
import { byPlace, definitionOf, type Marks } from './outline.ts'

export interface EditProblem {
  locator: string
  property: string
  message: string
}

/** The errors of the edits, in the order of the page: from validation, and from the server. */
export function problemsOf(
  {
    draft,
    configuration,
    serverErrors,
  }: { draft: Draft; configuration: Configuration; serverErrors: ReadonlyMap<FieldId, string> },
  t: Translate,
): EditProblem[] {
  const problems = allEdits(draft).flatMap(({ locator, property, edit }) => {
    const definition = definitionOf(configuration.resources[locator], property)
    const valueError = definition === undefined ? null : editError(definition, edit, t)
    const message = valueError ?? serverErrors.get(fieldId(locator, property))
    return message === undefined ? [] : [{ locator, property, message }]
  })
  return problems.length < 2 ? problems : problems.toSorted(byPlace(configuration))
}

export function marksOf(draft: Draft, problems: readonly EditProblem[]): Map<string, Marks> {
  return new Map(
    Object.entries(draft).map(([locator, edits]) => [
      locator,
      {
        edited: Object.keys(edits),
        invalid: problems.filter((problem) => problem.locator === locator).map(({ property }) => property),
      },
    ]),
  )
}
