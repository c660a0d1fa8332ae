import { useMemo, useState, type ReactNode } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { deepEqual } from '#contract/json-schema/json.ts'
import { DOCUMENT_LIMITS, parseJson, readJson } from '../../forms/json/parse-json.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { editsIn, FormEdit } from '../../forms/property/property-edit.ts'
import type { FieldId } from '../../forms/property/property-place.ts'
import { useText } from '../../i18n/use-text.ts'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'
import { Button } from '../../ui/Button.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { DocumentEditor, type EditedDocument } from '../document/DocumentEditor.tsx'
import { documentOf, readDocument, type DocumentEdits, type DocumentValues } from '../document/document.ts'
import { useDocumentSession, type DocumentSession } from '../document/use-document-session.ts'
import type { Edits, FormResource } from './property-form.ts'
import type { OperationValues } from './use-operation-form.ts'

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

interface Session extends DocumentSession {
  /** Of each field, the edit when the text last agreed with the form. */
  agreed: Edits
}

function useFormDocument(
  form: UseFormReturn<OperationValues>,
  resources: readonly FormResource[],
): EditedDocument {
  const from = useMemo(() => valuesOf(resources), [resources])
  const held = useWatch({ control: form.control, name: 'edits' })
  const edits = useMemo(() => editsIn({ edits: held }), [held])
  const { session, reset, onText } = useDocumentSession<Session>({
    isOver: ({ isApplied, agreed }) => isApplied && !isSame(agreed, edits),
    begin: (text) => ({ text, isApplied: false, agreed: edits }),
    apply: (written) => {
      const value = parseJson(written.text, DOCUMENT_LIMITS)
      if (value === undefined) return written
      const { wanted, problems } = readDocument(value, from)
      const now = editsIn(form.getValues())
      const newer: FieldId[] = []
      for (const field of resources.flatMap(({ fields }) => fields)) {
        const of = wanted.get(field.locator)
        if (of === undefined) continue
        const [edit, known] = [of.get(field.property), now.get(field.id)]
        // a document cannot express a hidden value, or input that is not a value yet
        const isKept =
          edit === undefined && (field.definition.isSensitive === true || known?.kind === 'unfinished')
        if (isKept || deepEqual(edit ?? null, known ?? null)) continue
        if (!deepEqual(known ?? null, written.agreed.get(field.id) ?? null)) {
          newer.push(field.id)
          continue
        }
        const options = { shouldDirty: true, shouldValidate: true }
        form.setValue(`edits.${field.id}`, edit === undefined ? null : new FormEdit(edit), options)
      }
      const agreed = new Map(editsIn(form.getValues()))
      // what was entered in the form since: the text is generated again once it has no errors
      for (const id of newer) {
        const before = written.agreed.get(id)
        if (before === undefined) agreed.delete(id)
        else agreed.set(id, before)
      }
      return { ...written, agreed, isApplied: problems.every(({ kind }) => kind === 'value') }
    },
  })
  const parsed = useMemo(() => session && readJson(session.text, DOCUMENT_LIMITS), [session])
  const reading = useMemo(
    () => (parsed?.value === undefined ? null : readDocument(parsed.value, from)),
    [parsed, from],
  )
  const generated = useMemo(
    () => (session === null ? JSON.stringify(documentOf(from, editsFor(resources, edits)), null, 2) : ''),
    [session, from, resources, edits],
  )
  return {
    text: session?.text ?? generated,
    from,
    reading,
    broken: parsed?.error ?? null,
    reset,
    onText,
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
