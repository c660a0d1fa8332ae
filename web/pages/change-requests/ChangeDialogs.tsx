import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { EndpointName } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'

/** What a step of a change request invalidates. */
export const CHANGED = [
  'GET /change-requests',
  'GET /change-requests/waiting',
  'GET /change-requests/{changeRequestId}',
  'GET /change-requests/{changeRequestId}/plan',
] as const satisfies readonly EndpointName[]

/** The title and the reason. A takeover also moves to the present run of its operation. */
export function DescribeDialog({ request, onClose }: { request: ChangeRequestDetail; onClose: () => void }) {
  const t = useText()
  const [{ changeRequestId, revision, kind, title, reason, input }] = useState(request)
  const { operationId } = input
  const operation = useQuery({
    ...apiQuery('GET /operations/{operationId}', { params: { operationId: operationId ?? '' } }),
    enabled: kind === 'TAKEOVER' && operationId !== undefined,
  })
  const run = operation.data?.run
  const hasMoved = operationId !== undefined && run !== undefined && run !== input.run
  const schema = useMemo(
    () =>
      z.object({
        title: z.string().check(z.refine((text) => text.trim() !== '', t('changes.describe.missing'))),
        reason: z.string(),
      }),
    [t],
  )
  const form = useZodForm(schema, { defaultValues: { title, reason: reason ?? '' } })
  const edit = useWrite('PATCH /change-requests/{changeRequestId}', { invalidates: CHANGED })
  const submit = useSubmit(
    form,
    async (values) => {
      const described = {
        revision,
        title: values.title.trim(),
        reason: values.reason.trim() === '' ? null : values.reason.trim(),
      }
      await edit.mutateAsync({
        params: { changeRequestId },
        body: hasMoved
          ? { kind: 'TAKEOVER', ...described, input: { operationId, run } }
          : { kind, ...described },
      })
      onClose()
    },
    fieldOfRequest(['title', 'reason']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('changes.describe')}
      submit={t('changes.editing.save')}
      onClose={onClose}
    >
      <TextField control={form.control} name="title" label={t('changes.describe.title')} />
      <ReasonField control={form.control} />
      {hasMoved && <p className="text-muted">{t('changes.describe.run', { run: String(run) })}</p>}
    </FormDialog>
  )
}

/** The time in which the request is applied, in the time of the person's browser. */
export function ScheduleDialog({ request, onClose }: { request: ChangeRequestDetail; onClose: () => void }) {
  const t = useText()
  const { changeRequestId, revision, schedule } = request
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const schema = useMemo(() => {
    const time = z
      .string()
      .check(z.refine((text) => !Number.isNaN(Date.parse(text)), t('changes.schedule.missing')))
    return z.object({ notBefore: time, notAfter: time }).check(
      z.refine(({ notBefore, notAfter }) => Date.parse(notAfter) > Date.parse(notBefore), {
        path: ['notAfter'],
        error: t('changes.schedule.order'),
      }),
    )
  }, [t])
  const form = useZodForm(schema, {
    defaultValues: { notBefore: localText(schedule?.notBefore), notAfter: localText(schedule?.notAfter) },
  })
  const save = useWrite('POST /change-requests/{changeRequestId}/schedule', { invalidates: CHANGED })
  const submit = useSubmit(
    form,
    async ({ notBefore, notAfter }) => {
      await save.mutateAsync({
        params: { changeRequestId },
        body: {
          revision,
          notBefore: new Date(notBefore).toISOString(),
          notAfter: new Date(notAfter).toISOString(),
          timeZone,
        },
      })
      onClose()
    },
    fieldOfRequest(['notBefore', 'notAfter']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('changes.schedule.title')}
      description={t('changes.schedule.about')}
      submit={t('changes.schedule')}
      onClose={onClose}
    >
      <TextField
        control={form.control}
        name="notBefore"
        kind="time"
        label={t('changes.schedule.notBefore')}
      />
      <TextField
        control={form.control}
        name="notAfter"
        kind="time"
        label={t('changes.schedule.notAfter')}
        help={t('changes.schedule.zone', { zone: timeZone })}
      />
    </FormDialog>
  )
}

/** A moment as the local time that the control takes; empty without one. */
function localText(at: string | undefined): string {
  if (at === undefined) return ''
  const moment = new Date(at)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
