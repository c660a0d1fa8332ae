import { useState } from 'react'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject, type JsonObject } from '#contract/json-schema/json.ts'
import { parseJson } from '../../forms/parse-json.ts'
import { useText } from '../../i18n/use-text.ts'
import { draftOf, keepDraft, type Draft } from './drafts.ts'
import { checkValues, textOf } from './values.ts'

const NOTHING: Draft['base'] = { version: 0, values: {} }

/** What is typed over the saved values, and how it stands to them. */
export function useServiceDraft(key: string, service: LocalService | null) {
  const t = useText()
  const saved = service === null ? NOTHING : baseOf(service)
  const [draft, setDraft] = useState<Draft>(() => draftOf(key) ?? { base: saved, text: textOf(saved.values) })
  const [isTyping, setIsTyping] = useState(false)
  const keep = (next: Draft) => {
    setDraft(next)
    keepDraft(key, isUntouched(next) ? null : next)
  }
  // the text is back at the saved value, so the newest one is edited from now on; but never between two keys
  if (!isTyping && saved.version > draft.base.version && isUntouched(draft))
    setDraft({ base: saved, text: textOf(saved.values) })

  const parsed = parseJson(draft.text)
  const problems =
    parsed === undefined
      ? [{ path: '', keyword: 'json', message: t('localServices.problem.json') }]
      : checkValues(parsed, t)
  const values = problems.length === 0 && isJsonObject(parsed) ? parsed : null
  return {
    base: draft.base,
    text: draft.text,
    problems,
    /** What would be saved; null while the document is no values. */
    values,
    isDirty: !isUntouched(draft),
    type: (text: string) => {
      setIsTyping(true)
      keep({ ...draft, text })
    },
    /** Called when the document loses the focus. */
    leave: () => setIsTyping(false),
    reset: () => keep({ base: saved, text: textOf(saved.values) }),
    /** Goes on over another version, with these values. */
    rebase: (base: Draft['base'], next: JsonObject) => keep({ base, text: textOf(next) }),
    forget: () => keepDraft(key, null),
  }
}

export const baseOf = ({ version, values }: LocalService): Draft['base'] => ({
  version,
  values,
})

function isUntouched({ text, base }: Draft): boolean {
  const parsed = parseJson(text)
  return parsed !== undefined && deepEqual(parsed, base.values)
}
