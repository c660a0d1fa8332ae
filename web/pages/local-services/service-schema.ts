import * as z from 'zod/mini'
import { isJsonObject, type JsonObject } from '#contract/json-schema/json.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { jsonErrorText, parseJson, readJson } from '../../forms/json/parse-json.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { checkValues, problemLine } from './values.ts'

/** The name of a new service, the values as JSON text, and the reason for the change. */
export const serviceSchema = ({ isNew }: { isNew: boolean }, t: Translate) =>
  z.object({
    name: z.string().check(z.refine((name) => !isNew || isKey(name), t('localServices.new.name.invalid'))),
    reason: z.string(),
    text: z.string().check(
      z.check(({ value, issues }) => {
        const message = problemOf(value, t)
        if (message !== null) issues.push({ code: 'custom', input: value, message })
      }),
    ),
  })

/** The values in a text; null if it is not valid. */
export function valuesOf(text: string, t: Translate): JsonObject | null {
  const parsed = parseJson(text)
  return isJsonObject(parsed) && checkValues(parsed, t).length === 0 ? parsed : null
}

function problemOf(text: string, t: Translate): string | null {
  const { value, error } = readJson(text)
  if (error !== null) return jsonErrorText(error, t)
  const problems = checkValues(value, t)
  return problems.length === 0 ? null : problems.map((problem) => problemLine(problem, t)).join(' · ')
}
