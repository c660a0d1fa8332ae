import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import type { Cause } from '#contract/console-api/shapes.ts'
import { NOTE_MAX, WAITING_FOR_MAX } from '#contract/console-api/vocabulary.ts'
import { ApiError } from '../../api/client.ts'
import { useWrite } from '../../api/write.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'

export type CauseDialogKind = 'note' | 'wait' | 'solve'

/** The field of the request that the text is for. */
const FIELDS = { note: 'text', wait: 'waitingFor', solve: 'solvedBy' } as const
const MAX = { note: NOTE_MAX, wait: WAITING_FOR_MAX, solve: NOTE_MAX } as const

/** Asks for the text of a note, whom the cause waits for, or what solved it. */
export function CauseDialog({
  kind,
  cause: { causeId, updatedAt, waitingFor, assignee },
  onClose,
}: {
  kind: CauseDialogKind
  cause: Cause
  onClose: () => void
}) {
  const t = useText()
  // as the person saw it when the dialog opened; after they were told that it has changed, as the page shows it then
  const [begunWith, setBegunWith] = useState(updatedAt)
  const [isStale, setIsStale] = useState(false)
  if (isStale && updatedAt !== begunWith) {
    setBegunWith(updatedAt)
    setIsStale(false)
  }
  const missing = t(`operations.cause.${kind}.missing`)
  const schema = useMemo(
    () => z.object({ text: z.string().check(z.refine((text) => text.trim() !== '', missing)) }),
    [missing],
  )
  const form = useZodForm(schema, { defaultValues: { text: kind === 'wait' ? (waitingFor ?? '') : '' } })
  const invalidates = ['GET /causes', 'GET /causes/{causeId}'] as const
  const add = useWrite('POST /causes/{causeId}/notes', { invalidates })
  const change = useWrite('PATCH /causes/{causeId}', { invalidates })
  const submit = useSubmit(
    form,
    async ({ text }) => {
      const params = { causeId }
      const changed =
        kind === 'wait'
          ? ({ state: 'WAITING', waitingFor: text.trim().replaceAll(/\s+/g, ' ') } as const)
          : ({ state: 'SOLVED', solvedBy: text } as const)
      if (kind === 'note') await add.mutateAsync({ params, body: { text } })
      else
        await change
          .mutateAsync({ params, body: { updatedAt: begunWith, ...changed } })
          .catch((error: unknown) => {
            if (error instanceof ApiError && error.problem.code === 'CAUSE_STALE') setIsStale(true)
            throw error
          })
      onClose()
    },
    (detail) => (fieldOfRequest([FIELDS[kind]])(detail) === null ? null : 'text'),
  )
  const isEmpty = useWatch({ control: form.control, name: 'text' }).trim() === ''
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t(`operations.cause.${kind}.dialog`)}
      submit={t(`operations.cause.${kind}`)}
      incompleteReason={isEmpty && missing}
      onClose={onClose}
    >
      <p className="text-muted">
        {t(`operations.cause.${kind}.about`)}
        {kind === 'wait' && assignee === null && ` ${t('operations.cause.wait.nobody')}`}
      </p>
      <TextAreaField
        control={form.control}
        name="text"
        label={t(`operations.cause.${kind}.field`)}
        need="required"
        rows={kind === 'wait' ? 2 : 4}
        maxLength={MAX[kind]}
      />
    </FormDialog>
  )
}
