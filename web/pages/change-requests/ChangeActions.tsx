import { useCallback, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { EndpointName } from '../../api/client.ts'
import { useMay, useSession } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { isLive } from '../../subjects/change-requests/change-looks.ts'
import { keepAction, useInterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { LinkButton } from '../../ui/Link.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'

type Asking = 'approve' | 'reject' | 'withdraw' | 'apply' | 'override' | 'schedule' | null

const CHANGED = [
  'GET /change-requests',
  'GET /change-requests/waiting',
  'GET /change-requests/{changeRequestId}',
  'GET /change-requests/{changeRequestId}/plan',
] as const satisfies readonly EndpointName[]

/** What the person may do with a request now; each asks before it does something that cannot be taken back. */
export function ChangeActions({
  request,
  plan,
  isPlanning,
}: {
  request: ChangeRequestDetail
  plan: ChangePlan | undefined
  isPlanning: boolean
}) {
  const t = useText()
  const [asking, setAsking] = useState<Asking>(null)
  const [overrideReason, setOverrideReason] = useState('')
  const { changeRequestId, revision, state, may, kind, scope, schedule } = request
  const personId = useSession().data?.user.id
  const page = `change-request/${changeRequestId}`
  useInterruptedAction(
    page,
    useCallback((action) => {
      setOverrideReason(action.reason)
      setAsking('override')
    }, []),
  )
  const mayApprove = useMay('change:approve', scope ?? 'anywhere')
  const submit = useWrite('POST /change-requests/{changeRequestId}/submit', { invalidates: CHANGED })
  const approve = useWrite('POST /change-requests/{changeRequestId}/approve', { invalidates: CHANGED })
  const reject = useWrite('POST /change-requests/{changeRequestId}/reject', { invalidates: CHANGED })
  const withdraw = useWrite('POST /change-requests/{changeRequestId}/withdraw', { invalidates: CHANGED })
  const apply = useWrite('POST /change-requests/{changeRequestId}/apply', { invalidates: CHANGED })
  const rebase = useWrite('POST /change-requests/{changeRequestId}/rebase', { invalidates: CHANGED })
  const unschedule = useWrite('POST /change-requests/{changeRequestId}/unschedule', { invalidates: CHANGED })
  const failed = [submit, rebase, unschedule].find(({ error }) => error !== null)
  const error = useErrorView(failed?.error)
  const params = { changeRequestId }
  const close = () => setAsking(null)
  const effect = isPlanning ? null : (plan?.effect ?? null)
  const planToken = isPlanning ? null : (plan?.planToken ?? null)
  const notReady = isPlanning ? t('common.loading') : t('changes.plan.none')
  const isMine = personId === request.createdBy.id
  const isSubmitted = isLive(request) && state !== 'DRAFT'
  const editing =
    kind === 'CONFIGURE' && scope !== null && may.edit
      ? paths.configuration(
          scope,
          omitUndefined({ change: changeRequestId, resource: Object.keys(request.input.changes ?? {})[0] }),
        )
      : null
  if (state === 'APPLIED' && kind === 'CONFIGURE' && scope !== null)
    return (
      <LinkButton to={paths.configuration(scope, { tab: 'history' })} icon="undo">
        {t('changes.undo')}
      </LinkButton>
    )
  if (!isLive(request)) return null
  return (
    <>
      {error !== null && <ErrorState error={error} />}
      {editing !== null && (
        <LinkButton to={editing} icon="edit">
          {t('changes.edit')}
        </LinkButton>
      )}
      {state === 'DRAFT' && may.edit && (
        <Button
          variant="primary"
          busy={submit.isPending}
          onClick={() => submit.mutate({ params, body: { revision } })}
        >
          {t('changes.submit')}
        </Button>
      )}
      {isSubmitted && mayApprove && !isMine && (
        <Button onClick={() => setAsking('reject')}>{t('changes.reject')}</Button>
      )}
      {(state === 'OPEN' || state === 'APPROVED' || state === 'SCHEDULED') && (
        <Button
          variant={may.apply ? 'secondary' : 'primary'}
          disabledReason={
            !may.approve
              ? t(mayApprove ? 'changes.own.approval' : 'changes.permission.approve')
              : effect === null && notReady
          }
          onClick={() => setAsking('approve')}
        >
          {t('changes.approve')}
        </Button>
      )}
      {may.apply && (
        <Button
          variant="primary"
          disabledReason={planToken === null && notReady}
          onClick={() => setAsking('apply')}
        >
          {t('changes.apply')}
        </Button>
      )}
      {(may.edit || may.override) && (
        <Menu
          label={t('changes.more')}
          renderTrigger={(props) => <Button {...props}>{t('changes.more')}</Button>}
        >
          {may.override && (
            <MenuItem onSelect={() => setAsking('override')}>{t('changes.override')}</MenuItem>
          )}
          {isSubmitted && may.edit && (
            <MenuItem onSelect={() => setAsking('schedule')}>{t('changes.schedule')}</MenuItem>
          )}
          {schedule !== null && may.edit && (
            <MenuItem onSelect={() => unschedule.mutate({ params, body: { revision } })}>
              {t('changes.unschedule')}
            </MenuItem>
          )}
          {state === 'CONFLICTED' && may.edit && (
            <MenuItem onSelect={() => rebase.mutate({ params, body: { revision } })}>
              {t('changes.rebase')}
            </MenuItem>
          )}
          {may.edit && <MenuItem onSelect={() => setAsking('withdraw')}>{t('changes.withdraw')}</MenuItem>}
        </Menu>
      )}
      {asking === 'approve' && effect !== null && (
        <ConfirmForm
          title={t('changes.approve.title')}
          confirm={t('changes.approve')}
          reason={{ label: t('changes.comment.label'), required: false }}
          send={async ({ reason }) => {
            await approve.mutateAsync({
              params,
              body: { revision, effect, ...(reason !== '' && { comment: reason }) },
            })
            close()
          }}
          onClose={close}
        >
          <p>{t('changes.approve.about')}</p>
        </ConfirmForm>
      )}
      {asking === 'reject' && (
        <ConfirmForm
          danger
          title={t('changes.reject.title')}
          confirm={t('changes.reject')}
          reason={{ label: t('changes.reject.reason'), required: true }}
          send={async ({ reason }) => {
            await reject.mutateAsync({ params, body: { revision, comment: reason } })
            close()
          }}
          onClose={close}
        >
          <p>{t('changes.reject.about')}</p>
        </ConfirmForm>
      )}
      {asking === 'withdraw' && (
        <ConfirmForm
          title={t('changes.withdraw.title')}
          confirm={t('changes.withdraw')}
          reason={{ label: t('changes.comment.label'), required: false }}
          send={async ({ reason }) => {
            await withdraw.mutateAsync({
              params,
              body: { revision, ...(reason !== '' && { comment: reason }) },
            })
            close()
          }}
          onClose={close}
        >
          <p>{t('changes.withdraw.about')}</p>
        </ConfirmForm>
      )}
      {(asking === 'apply' || asking === 'override') && planToken !== null && (
        <ConfirmForm
          danger={asking === 'override'}
          title={t(asking === 'apply' ? 'changes.apply.title' : 'changes.override.title')}
          confirm={t(asking === 'apply' ? 'changes.apply' : 'changes.override')}
          reason={
            asking === 'apply'
              ? { label: t('common.form.reason'), required: false }
              : { label: t('changes.override.reason'), required: true }
          }
          initialReason={overrideReason}
          errorActions={(code, reason) =>
            needsSignIn(code) && (
              <SignInAgain keep={(id) => keepAction(id, page, { target: changeRequestId, reason })} />
            )
          }
          send={async ({ reason }) => {
            await apply.mutateAsync({
              params,
              body: {
                revision,
                planToken,
                override: asking === 'override',
                ...(reason !== '' && { reason }),
              },
            })
            close()
          }}
          onClose={close}
        >
          <p>{t(asking === 'apply' ? 'changes.apply.about' : 'changes.override.about')}</p>
        </ConfirmForm>
      )}
      {asking === 'schedule' && <ScheduleDialog request={request} onClose={close} />}
    </>
  )
}

/** The time in which the request is applied, in the time of the person's browser. */
function ScheduleDialog({ request, onClose }: { request: ChangeRequestDetail; onClose: () => void }) {
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
