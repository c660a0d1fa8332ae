import { useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { deepEqual } from '#contract/json-schema/json.ts'
import { DOCUMENT_LIMITS, parseJson, readJson } from '../../forms/json/parse-json.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { editsIn, FormEdit } from '../../forms/property/property-edit.ts'
import { useText } from '../../i18n/use-text.ts'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'
import { Button } from '../../ui/Button.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { DocumentEditor, type EditedDocument } from '../document/DocumentEditor.tsx'
import { documentOf, readDocument, type DocumentEdits, type DocumentValues } from '../document/document.ts'
import type { Edits, FormResource } from './property-form.ts'
import type { OperationValues } from './use-operation-form.ts'

const DEBOUNCE_MS = 300
/** That of the editor of a scope: who wants the document there wants it here. */
const KEY = 'bundle-console.document-beside-form'

/** Whether the document is open, and the button that opens and closes it. */
export function useFormDocumentToggle(): { isOpen: boolean; button: ReactNode } {
  const t = useText()
  const [isOpen, setOpen] = useState(() => storedChoice(KEY) !== null)
  return {
    isOpen,
    button: (
      <Button
        size="sm"
        icon="beside"
        aria-pressed={isOpen}
        onClick={() => {
          storeChoice(KEY, isOpen ? null : 'open')
          setOpen(!isOpen)
        }}
      >
        {t('configuration.document.beside')}
      </Button>
    ),
  }
}

/** The values of an install or upgrade as one JSON document, beside the form or below it: both show what is entered in either. */
export function FormDocument({
  form,
  resources,
}: {
  form: UseFormReturn<OperationValues>
  resources: readonly FormResource[]
}) {
  const t = useText()
  const busy = useFormBusy()
  const document = useFormDocument(form, resources)
  return (
    <section
      {...focusHome()}
      aria-label={t('installations.form.document')}
      className="sticky top-4 flex h-[calc(100dvh-10rem)] min-h-80 min-w-0 flex-col gap-2 self-start"
    >
      <DocumentEditor
        label={t('installations.form.document')}
        document={document}
        height="fill"
        readOnly={busy}
      />
    </section>
  )
}

/** A text that is being edited, and the edits of the form when it was last part of them. */
interface Session {
  text: string
  applied: Edits | null
}

function useFormDocument(
  form: UseFormReturn<OperationValues>,
  resources: readonly FormResource[],
): EditedDocument {
  const [session, setSession] = useState<Session | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const from = useMemo(() => valuesOf(resources), [resources])
  const held = useWatch({ control: form.control, name: 'edits' })
  const edits = useMemo(() => editsIn({ edits: held }), [held])
  const parsed = useMemo(() => session && readJson(session.text, DOCUMENT_LIMITS), [session])
  const reading = useMemo(
    () => (parsed?.value === undefined ? null : readDocument(parsed.value, from)),
    [parsed, from],
  )
  const hasFaults = reading === null || reading.problems.some(({ kind }) => kind !== 'value')
  // what is entered in the form since is newer than the text
  if (session?.applied && !hasFaults && !isSame(session.applied, edits)) setSession(null)

  const apply = useEffectEvent((text: string) => {
    const value = parseJson(text, DOCUMENT_LIMITS)
    if (value === undefined) return
    const { wanted } = readDocument(value, from)
    const now = editsIn(form.getValues())
    for (const field of resources.flatMap(({ fields }) => fields)) {
      const of = wanted.get(field.locator)
      if (of === undefined) continue
      const [edit, known] = [of.get(field.property), now.get(field.id)]
      // a document cannot express a hidden value, or input that is not a value yet
      const isKept =
        edit === undefined && (field.definition.isSensitive === true || known?.kind === 'unfinished')
      if (isKept || deepEqual(edit ?? null, known ?? null)) continue
      const options = { shouldDirty: true, shouldValidate: true }
      form.setValue(`edits.${field.id}`, edit === undefined ? null : new FormEdit(edit), options)
    }
    const applied = editsIn(form.getValues())
    setSession((current) => (current?.text === text ? { text, applied } : current))
  })
  const flush = useEffectEvent(() => {
    clearTimeout(timer.current)
    if (session !== null && session.applied === null) apply(session.text)
  })
  useEffect(() => () => flush(), [])
  const generated = useMemo(
    () => (session === null ? JSON.stringify(documentOf(from, editsFor(resources, edits)), null, 2) : ''),
    [session, from, resources, edits],
  )
  const text = session?.text ?? generated
  return {
    text,
    from,
    reading,
    broken: parsed?.error ?? null,
    reset: () => {
      clearTimeout(timer.current)
      setSession(null)
    },
    onText: (next) => {
      if (next === text) return
      setSession({ text: next, applied: null })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => apply(next), DEBOUNCE_MS)
    },
  }
}

/** What the properties have without an entered value. */
function valuesOf(resources: readonly FormResource[]): DocumentValues {
  return {
    resources: Object.fromEntries(
      resources
        .filter(({ fields }) => fields.length > 0)
        .map(({ locator, fields }) => [
          locator,
          {
            properties: Object.fromEntries(
              fields.flatMap(({ property, fallback: { view } }) => (view === null ? [] : [[property, view]])),
            ),
            definitions: Object.fromEntries(fields.map(({ property, definition }) => [property, definition])),
            writtenBy: {},
          },
        ]),
    ),
  }
}

const editsFor = (resources: readonly FormResource[], edits: Edits): DocumentEdits =>
  Object.fromEntries(
    resources.map(({ locator, fields }) => [
      locator,
      Object.fromEntries(
        fields.flatMap(({ id, property, definition }) => {
          const edit = edits.get(id)
          return edit === undefined
            ? []
            : [[property, { edit, isSensitive: definition.isSensitive === true }]]
        }),
      ),
    ]),
  )

const isSame = (one: Edits, other: Edits): boolean =>
  one.size === other.size && [...one].every(([id, edit]) => deepEqual(edit, other.get(id) ?? null))
