import type { Configuration } from '#contract/console-api/shapes.ts'
import { translateError } from '../../forms/property/translate-error.ts'
import { editError } from '../../forms/property/edit-error.ts'
import type { Translate } from '../../i18n/use-text.ts'
import type { Draft, DraftEdit } from './draft/draft.ts'
import type { Remark } from './draft/draft-store.ts'
import { definitionOf, type Marks } from './outline.ts'

export interface EditProblem {
  locator: string
  property: string
  message: string
}

/** Edits do not change, so what is wrong with one is found once for each language. */
const known = new WeakMap<DraftEdit, { t: Translate; definition: object; text: string | null }>()

/** What is wrong with the edits: by the definitions, and by what the server said of them. */
export function problemsOf(
  {
    draft,
    configuration,
    remarks,
  }: { draft: Draft; configuration: Configuration; remarks: readonly Remark[] },
  t: Translate,
): EditProblem[] {
  return Object.entries(draft).flatMap(([locator, edits]) =>
    Object.entries(edits).flatMap(([property, edit]) => {
      const definition = definitionOf(configuration.resources[locator], property)
      const own = definition === undefined ? null : editProblem(definition, edit, t)
      const message =
        own ?? remarks.find((remark) => remark.locator === locator && remark.property === property)?.message
      return message === undefined ? [] : [{ locator, property, message: translateError(message, t) }]
    }),
  )
}

export function editProblem(
  definition: Parameters<typeof editError>[0],
  edit: DraftEdit,
  t: Translate,
): string | null {
  const found = known.get(edit)
  if (found?.t === t && found.definition === definition) return found.text
  const text = editError(definition, edit.edit, t)
  known.set(edit, { t, definition, text })
  return text
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
