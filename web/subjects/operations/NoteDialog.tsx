import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { NOTE_MAX } from '#contract/console-api/vocabulary.ts'
import { useWrite } from '../../api/write.ts'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'

/** Adds a note to an operation. */
export function NoteDialog({ operationId, onClose }: { operationId: string; onClose: () => void }) {
  const t = useText()
  const missing = t('operations.notes.missing')
  const schema = useMemo(
    () => z.object({ text: z.string().check(z.refine((text) => text.trim() !== '', missing)) }),
    [missing],
  )
  const form = useZodForm(schema, { defaultValues: { text: '' } })
  const add = useWrite('POST /operations/{operationId}/notes', {
    invalidates: ['GET /operations/{operationId}'],
  })
  const submit = useSubmit(
    form,
    async ({ text }) => {
      await add.mutateAsync({ params: { operationId }, body: { text } })
      onClose()
    },
    fieldOfRequest(['text']),
  )
  const isEmpty = useWatch({ control: form.control, name: 'text' }).trim() === ''
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('operations.notes.dialog')}
      submit={t('operations.notes.add')}
      incompleteReason={isEmpty && missing}
      onClose={onClose}
    >
      <p className="text-muted">{t('operations.notes.about')}</p>
      <TextAreaField
        control={form.control}
        name="text"
        label={t('operations.notes.field')}
        need="required"
        rows={4}
        maxLength={NOTE_MAX}
      />
    </FormDialog>
  )
}
