import type { JsonValue } from '#contract/json-schema/json.ts'
import {
  StrictJsonError,
  type JsonTextProblem,
  type TextPlace,
} from '#contract/protocol/json-text-problem.ts'
import { FILE_KEYS_MAX, type StrictJsonLimits } from '#contract/protocol/limits.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** Why a text is not JSON that the servers accept, and where. */
export interface JsonError {
  problem: JsonTextProblem
  place: TextPlace
}

/** Limits of a text with the configuration of a whole scope: as those of a request, but it is not a request. */
export const DOCUMENT_LIMITS: Partial<StrictJsonLimits> = { maxKeys: FILE_KEYS_MAX }

export type JsonReading = { value: JsonValue; error: null } | { value: undefined; error: JsonError }

/** Reads a text that a person gave as the servers would read it, so that no value changes on the way to them. */
export function readJson(text: string, limits?: Partial<StrictJsonLimits>): JsonReading {
  try {
    return { value: parseStrictJson(text, limits), error: null }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    return { value: undefined, error: { problem: error.problem, place: error.place } }
  }
}

/** The value of a JSON document; undefined if the servers would not accept the text. */
export const parseJson = (text: string, limits?: Partial<StrictJsonLimits>): JsonValue | undefined =>
  readJson(text, limits).value

/** An error with its place, as one sentence. */
export const jsonErrorText = ({ problem, place: { line, column } }: JsonError, t: Translate): string =>
  t('forms.json.problem', { line, column, problem: jsonProblemText(problem, t) })

/** A problem in the current language, without its place. */
export function jsonProblemText(problem: JsonTextProblem, t: Translate): string {
  switch (problem.reason) {
    case 'moreExpected':
      return t('forms.json.moreExpected', { bracket: problem.bracket })
    case 'tooDeep':
    case 'tooManyKeys':
    case 'stringTooLong':
      return t(`forms.json.${problem.reason}`, { n: problem.n })
    default:
      return t(`forms.json.${problem.reason}`)
  }
}
