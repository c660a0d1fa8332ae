import type { FieldError, FieldErrors, Resolver } from 'react-hook-form'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Problem } from '#contract/json-schema/value-problem.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { placeIn } from '#contract/protocol/json-text-problem.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { jsonErrorText, readJson, type JsonError } from '../json/parse-json.ts'
import { labelled } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { controlKind, controlTraits, schemaOf } from './control-kind.ts'
import {
  dataValue,
  editsIn,
  type Edit,
  type Part,
  type Parts,
  type PropertyFormValues,
} from './property-edit.ts'
import type { FieldId } from './property-place.ts'
import { REFUSED_KEY } from './held-value.ts'
import { takesNumber } from './inner-value.ts'
import { readNumber } from './parse-number.ts'
import { titledPath } from './property-labels.ts'
import { translateError } from './translate-error.ts'

/** Nobody reads more at once; the count says how many there are. */
const SHOWN = 6

/** The errors in an edit, independent of language. */
type EditProblem =
  | { kind: 'required' | 'missing' | 'number' }
  | { kind: 'json'; error: JsonError }
  | { kind: 'values'; problems: readonly Problem[] }
  /** Of input inside the value `whole`. */
  | { kind: 'parts'; whole: JsonValue; parts: Parts }

/** Edits are immutable, so each is checked once against its definition. */
const checked = new WeakMap<Edit, { definition: PropertyDefinition; problem: EditProblem | null }>()

/** The errors in an edit; null if it is valid. The runtime runs the same check and is authoritative. */
export function checkEdit(definition: PropertyDefinition, edit: Edit): EditProblem | null {
  const known = checked.get(edit)
  if (known?.definition === definition) return known.problem
  const problem = findProblem(definition, edit)
  checked.set(edit, { definition, problem })
  return problem
}

/** The same in the language that is shown, one error a line. */
export function editError(definition: PropertyDefinition, edit: Edit, t: Translate): string | null {
  const problem = checkEdit(definition, edit)
  if (problem === null) return null
  switch (problem.kind) {
    case 'json':
      return jsonErrorText(problem.error, t)
    case 'values': {
      const value = edit.kind === 'set' ? dataValue(edit.value) : undefined
      const found = problem.problems.map(
        ({ path, ...problem }) => [path, translateError(problem, t)] as const,
      )
      return listProblems(definition, value, found, t)
    }
    case 'parts': {
      const { whole, parts } = problem
      const found = Object.entries(parts).map(([path, part]) => {
        // the entry has another key than the one that was typed, so it cannot be named by it
        const place = part.key === undefined ? path : path.slice(0, path.lastIndexOf('/'))
        return [place, partError(part, t)] as const
      })
      return listProblems(definition, whole, found, t)
    }
    case 'number':
      return numberError(edit.kind === 'unfinished' ? edit.text : '', t)
    case 'missing':
      return missingText(definition, t)
    default:
      return t(`forms.problem.${problem.kind}`)
  }
}

function listProblems(
  definition: PropertyDefinition,
  value: JsonValue | undefined,
  found: readonly (readonly [path: string, text: string])[],
  t: Translate,
): string {
  const whole = { schema: schemaOf(definition), value }
  const lines = found
    .slice(0, SHOWN)
    .map(([path, text]) => (path === '' ? text : labelled(t, titledPath(whole, path, t), text)))
  const more = found.length - lines.length
  return [...lines, ...(more > 0 ? [t('forms.problem.more', { n: more })] : [])].join('\n')
}

/** What is wrong with input inside a value, in the language that is shown. */
export function partError({ text, isPartialNumber, key }: Part, t: Translate): string {
  if (text !== undefined)
    return isPartialNumber === true ? numberError(text, t) : jsonErrorText(jsonError(text), t)
  if (key === REFUSED_KEY) return t('forms.json.keyReserved')
  return key === undefined || key === '' ? t('forms.map.needsKey') : t('forms.map.usedTwice', { key })
}

function numberError(text: string, t: Translate): string {
  const reading = readNumber(text)
  if (reading.kind === 'inexact') return t('forms.problem.inexact', { nearest: String(reading.nearest) })
  return t(reading.kind === 'tooLarge' ? 'forms.problem.tooLarge' : 'forms.problem.number')
}

/** What is asked for where a value is missing. */
export function missingText(definition: PropertyDefinition, t: Translate): string {
  const { isChosen } = controlTraits(controlKind(definition, 'MODULE'))
  return t(isChosen === true ? 'forms.problem.choose' : 'forms.problem.missing')
}

/** What is unfinished is never valid, even if its text is. */
const jsonError = (text: string): JsonError =>
  readJson(text).error ?? { problem: { reason: 'incomplete' }, place: placeIn(text, text.length) }

function findProblem(definition: PropertyDefinition, edit: Edit): EditProblem | null {
  switch (edit.kind) {
    case 'removed':
      return definition.required === true ? { kind: 'required' } : null
    case 'unfinished': {
      if (edit.inside !== undefined)
        return { kind: 'parts', whole: edit.inside.value, parts: edit.inside.parts }
      const isNumber = takesNumber(schemaOf(definition)) && controlKind(definition, 'MODULE') !== 'secret'
      if (isNumber || edit.isPartialNumber === true) return { kind: 'number' }
      return { kind: 'json', error: jsonError(edit.text) }
    }
    case 'set': {
      const problems = checkTypedValue(definition, edit.value)
      if (problems.length === 0) return null
      // what is missing comes first: a format says nothing about an empty field
      const isEmpty = edit.value['@type'] === 'Data' && edit.value.value === ''
      return isEmpty && definition.required === true ? { kind: 'missing' } : { kind: 'values', problems }
    }
  }
}

/**
 * A field's error message: first an error in the edit itself, then a missing value, then the server's error about the
 * submitted value.
 */
export function propertyError(
  definition: PropertyDefinition,
  edit: Edit | null,
  error: FieldError | undefined,
  t: Translate,
): string | null {
  const ownError = edit === null ? null : editError(definition, edit, t)
  if (ownError !== null) return ownError
  if (error?.type === 'missing') return edit === null ? missingText(definition, t) : null
  return error?.message ?? null
}

interface PropertyRules {
  /** The definition of a field; undefined for one that is not (or no longer) in the form, which is not checked. */
  definitionOf: (id: FieldId) => PropertyDefinition | undefined
  /** The fields that need a value. */
  required?: Iterable<FieldId>
}

/**
 * Validates a form against property definitions. An error contains only its type: `invalid` (the field gets the message
 * from `editError`, in the current language) or `missing`.
 *
 * @param others Validates the values beside the properties; its errors are added.
 */
export function propertyResolver<Values extends PropertyFormValues>(
  { definitionOf, required = [] }: PropertyRules,
  others?: (values: Values) => FieldErrors<Values>,
): Resolver<Values> {
  return (values) => {
    const edits = editsIn(values)
    const errors: Record<FieldId, FieldError> = {}
    for (const id of required) if (!edits.has(id)) errors[id] = { type: 'missing' }
    for (const [id, edit] of edits) {
      const definition = definitionOf(id)
      if (definition !== undefined && checkEdit(definition, edit) !== null) errors[id] = { type: 'invalid' }
    }
    const rest = others?.(values) ?? {}
    if (Object.keys(errors).length === 0 && Object.keys(rest).length === 0) return { values, errors: {} }
    // errors are keyed by field name, which the type of all `Values` cannot express
    return { values: {}, errors: { ...rest, edits: errors } as FieldErrors<Values> }
  }
}
