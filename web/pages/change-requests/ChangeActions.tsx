import { Suspense, useCallback, useMemo, useState } from 'react'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { useMay, useSession } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { againOf } from '../../subjects/batch/again.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { isLive } from '../../subjects/change-requests/change-looks.ts'
import { keepAction, useInterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { LinkButton } from '../../ui/Link.tsx'
import { CHANGED, DescribeDialog, ScheduleDialog } from './ChangeDialogs.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'

type Asking =
  | 'approve'
  | 'reject'
  | 'withdraw'
  | 'apply'
  | 'override'
  | 'schedule'
  | 'describe'
  | 'batch'
  | null

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
  const editing = may.edit ? editorOf(request) : null
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
      {editing === null && may.edit && (
        <Button
          icon="edit"
          disabledReason={kind === 'BATCH' && plan?.batch === undefined && notReady}
          onClick={() => setAsking(kind === 'BATCH' ? 'batch' : 'describe')}
        >
          {t('changes.edit')}
        </Button>
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
          {may.edit && (editing !== null || kind === 'BATCH') && (
            <MenuItem onSelect={() => setAsking('describe')}>{t('changes.describe')}</MenuItem>
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
      {asking === 'describe' && <DescribeDialog request={request} onClose={close} />}
      {asking === 'batch' && plan?.batch !== undefined && (
        <BatchEditor request={request} items={plan.batch.items} onClose={close} />
      )}
    </>
  )
}

/** The form in which the change itself is edited; null of one that has a dialog. */
function editorOf({ changeRequestId, kind, scope, bundleInstallId, input }: ChangeRequestDetail) {
  const change = changeRequestId
  if (scope === null) return null
  switch (kind) {
    case 'CONFIGURE':
      return paths.configuration(
        scope,
        omitUndefined({ change, resource: Object.keys(input.changes ?? {})[0] }),
      )
    case 'INSTALL':
      return paths.installationNew(
        omitUndefined({
          ...scope,
          bundleEnvironmentKey: input.bundle?.environmentKey,
          bundleId: input.bundle?.bundleId,
          version: input.targetVersion,
          copyFrom: input.copyFrom?.bundleInstallId,
          change,
        }),
      )
    case 'UPGRADE':
      return bundleInstallId === null
        ? null
        : paths.installation(
            bundleInstallId,
            omitUndefined({ action: 'upgrade', version: input.targetVersion, change }),
          )
    case 'DETACH':
    case 'TAKEOVER':
    case 'BATCH':
      return null
  }
}

/** The batch of a request in the dialog that makes batches. */
function BatchEditor({
  request,
  items,
  onClose,
}: {
  request: ChangeRequestDetail
  items: NonNullable<ChangePlan['batch']>['items']
  onClose: () => void
}) {
  const [begun] = useState({ request, items })
  const { action, batch } = begun.request.input
  const again = useMemo(
    () =>
      action === undefined || batch === undefined
        ? null
        : againOf(
            { ...begun.request.input, action, input: batch, reason: begun.request.reason },
            begun.items,
          ),
    [begun, action, batch],
  )
  if (again === null || action === undefined) return null
  return (
    <Suspense>
      <LazyBatchDialog
        action={action}
        targets={again.targets}
        again={again}
        edited={begun.request}
        {...(again.install && { install: again.install })}
        onClose={onClose}
      />
    </Suspense>
  )
}
