import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useController } from 'react-hook-form'
import * as z from 'zod/mini'
import type { Follow } from '#contract/console-api/shapes.ts'
import { ESCALATE_AFTER_MAX, ESCALATES_DAYS, isProgram } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { NumberField } from '../../forms/fields/NumberField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { useKnownPeople } from '../../subjects/people/use-known-people.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { showToast } from '../../ui/toast.ts'
import { followName } from './follow-name.ts'

/** Whom a failure that nobody takes is reported to, and when. */
export function EscalationDialog({ follow, onClose }: { follow: Follow; onClose: () => void }) {
  const t = useText()
  const { user } = useShell()
  const mayName = useMay('operation:annotate', follow.scope ?? 'anywhere')
  const schema = useMemo(
    () =>
      z.object({
        escalateAfterMinutes: z
          .string()
          .check(
            z.refine(
              (text) =>
                text === '' ||
                (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= ESCALATE_AFTER_MAX),
              t('inbox.escalation.invalid', { max: ESCALATE_AFTER_MAX }),
            ),
          ),
        escalateTo: z.array(z.string()),
      }),
    [t],
  )
  const form = useZodForm(schema, {
    defaultValues: {
      escalateAfterMinutes: String(follow.escalateAfterMinutes ?? ''),
      escalateTo: follow.escalateTo.map(({ id }) => id),
    },
  })
  const save = useWrite('PUT /follows', { invalidates: ['GET /follows'] })
  const submit = useSubmit(
    form,
    async ({ escalateAfterMinutes, escalateTo }) => {
      const after = escalateAfterMinutes === '' ? null : Number(escalateAfterMinutes)
      const body = { subject: follow.subject, escalateAfterMinutes: after, escalateTo }
      await save.mutateAsync({ body })
      showToast({ text: t('inbox.escalation.saved') })
      onClose()
    },
    fieldOfRequest(['escalateAfterMinutes', 'escalateTo']),
  )
  const recent = useQuery({
    ...apiQuery('GET /audit', { query: { limit: 200 } }),
    enabled: mayName,
    refetchInterval: false,
  })
  const actors = recent.data?.items.map(({ actor: { id, name } }) => ({ id, name })) ?? []
  const people = useKnownPeople([...follow.escalateTo, ...actors]).filter(
    ({ id }) => id !== user?.id && !isProgram(id),
  )
  const { field } = useController({ control: form.control, name: 'escalateTo' })
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('inbox.escalation.of', { name: followName(follow, t).text })}
      description={t('inbox.escalation.about', { n: ESCALATES_DAYS })}
      submit={t('common.save')}
      onClose={onClose}
    >
      <NumberField
        control={form.control}
        name="escalateAfterMinutes"
        label={t('inbox.escalation.minutes')}
        help={t('inbox.escalation.minutes.help')}
      />
      <fieldset>
        <legend className="mb-1 font-medium">{t('inbox.escalation.to')}</legend>
        <p className="mb-2 text-muted">
          {t(mayName ? 'inbox.escalation.to.help' : 'inbox.escalation.to.permission')}
        </p>
        <div className="flex max-h-48 flex-col items-start gap-1 overflow-y-auto">
          {people.map(({ id, name }) => (
            <Checkbox
              key={id}
              checked={field.value.includes(id)}
              disabled={!mayName}
              onChange={({ target: { checked } }) =>
                field.onChange(
                  checked ? [...field.value, id] : field.value.filter((one: string) => one !== id),
                )
              }
            >
              {name}
            </Checkbox>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
