import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import * as z from 'zod/mini'
import { isKey } from '#contract/protocol/locator.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { baseOf, draftOf, isUnchanged, keepDraft, NO_BASE, type ServiceBase } from './service-drafts.ts'
import { textOf, checkValues, problemLine } from './service-values.ts'
import { jsonErrorText, parseJson, readJson } from '../../forms/json/parse-json.ts'

/**
 * The form of a local service, based on the version that was current when typing started. Every change is kept as a
 * draft.
 */
export function useServiceForm(key: string, service: LocalService | null) {
  const t = useText()
  const saved = useMemo(() => (service === null ? NO_BASE : baseOf(service)), [service])
  const [draft] = useState(() => draftOf(key))
  // the version when typing started, and the text that the form showed then
  const [start, setStart] = useState<{ base: ServiceBase; text: string }>(
    () => draft ?? { base: saved, text: textOf(saved.values) },
  )
  const { base } = start
  const [isTyping, setTyping] = useState(false)
  const isNew = service === null
  const schema = useMemo(() => serviceSchema({ isNew }, t), [isNew, t])
  const form = useZodForm(schema, {
    defaultValues: { name: draft?.name ?? '', text: start.text, reason: draft?.reason ?? '' },
    mode: 'onChange',
  })
  const { control, getValues, setValue, subscribe } = form
  const text = useWatch({ control, name: 'text' })
  const isDirty = !isUnchanged(text, base)
  const rebase = (next: ServiceBase, values: JsonObject) => setStart({ base: next, text: textOf(values) })

  const keep = useEffectEvent(() => keepDraft(key, { ...getValues(), base }))
  useEffect(() => subscribe({ formState: { values: true }, callback: () => keep() }), [subscribe])
  // before the next key press, which applies to the new text; an invalid draft shows its error at once
  useLayoutEffect(() => {
    setValue('text', start.text, { shouldValidate: true })
    keep()
  }, [start, setValue])
  // without changes, the form follows what is saved, but never while the person is typing
  if (saved.version > base.version && !isDirty && !isTyping) rebase(saved, saved.values)

  return {
    form,
    base,
    /** The values that would be saved; null if the text is not valid. */
    values: valuesOf(text, t),
    isDirty,
    /** Records whether the person is typing in the document. */
    setTyping,
    reset: () => rebase(saved, saved.values),
    /** Continues from another version, with these values. */
    rebase,
    forget: () => keepDraft(key, null),
  }
}

/** The name of a new service, the values as JSON text, and the reason for the change. */
const serviceSchema = ({ isNew }: { isNew: boolean }, t: Translate) =>
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
function valuesOf(text: string, t: Translate): JsonObject | null {
  const parsed = parseJson(text)
  return isJsonObject(parsed) && checkValues(parsed, t).length === 0 ? parsed : null
}

function problemOf(text: string, t: Translate): string | null {
  const { value, error } = readJson(text)
  if (error !== null) return jsonErrorText(error, t)
  const problems = checkValues(value, t)
  return problems.length === 0 ? null : problems.map((problem) => problemLine(problem, t)).join(' · ')
}
