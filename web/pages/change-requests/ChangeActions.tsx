import { Suspense, useCallback, useState } from 'react'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../api/session.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { againOf } from '../../subjects/batch/again.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { authorsOf, isEndedBefore, isLive } from '../../subjects/change-requests/change-looks.ts'
import { useInterruptedAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { LinkButton } from '../../ui/Link.tsx'
import {
  CHANGED,
  DescribeDialog,
  isStep,
  pageOf,
  ScheduleDialog,
  StepDialog,
  type ShownPlan,
  type Step,
} from './ChangeDialogs.tsx'
import { frozenUntil, isNothingReady, refusals } from './PlannedChange.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'

type Asked = Step | 'schedule' | 'describe' | 'batch'

/** What the person may do with a request now; each asks before it does something that cannot be taken back. */
export function ChangeActions({
  request,
  plan: read,
  isPlanning,
}: {
  request: ChangeRequestDetail
  plan: ChangePlan | undefined
  /** It has not been read yet. */
  isPlanning: boolean
}) {
  const t = useText()
  const [asked, setAsked] = useState<{ dialog: Asked; kept: InterruptedAction | null } | null>(null)
  const { state, kind, scope } = request
  const mayPropose = useMay('change:propose', scope ?? 'anywhere')
  useInterruptedAction(
    pageOf(request),
    useCallback((kept) => mayBeKept(kept.target) && setAsked({ dialog: kept.target, kept }), []),
  )
  if (state === 'APPLIED' && kind === 'CONFIGURE' && scope !== null)
    return (
      <LinkButton to={paths.configuration(scope, { tab: 'history' })} icon="undo">
        {t('changes.undo')}
      </LinkButton>
    )
  const again = isEndedBefore(request) ? editorOf(request) : null
  if (again !== null && mayPropose)
    return (
      <LinkButton to={again} icon="edit">
        {t('changes.again')}
      </LinkButton>
    )
  if (!isLive(request)) return null
  const plan: ShownPlan = {
    batch: read?.batch,
    frozenUntil: frozenUntil(read),
    effect: read?.effect ?? null,
    planToken: read?.planToken ?? null,
    refused:
      refusals(read).map((problem) => messageText(problem))[0] ??
      (isNothingReady(read) ? t('batches.make.nothing') : null),
    notReady: t(isPlanning ? 'common.loading' : 'changes.plan.none'),
  }
  const close = () => setAsked(null)
  const ask = (dialog: Asked) => setAsked({ dialog, kept: null })
  return (
    <>
      <Buttons request={request} plan={plan} onAsk={ask} />
      {asked !== null && <AskedDialog {...asked} request={request} plan={plan} onClose={close} />}
    </>
  )
}

/** The dialogs that may ask for a recent sign-in. */
const mayBeKept = (target: string): target is Step | 'schedule' => isStep(target) || target === 'schedule'

/** What the person decides on stays as it was when the dialog opened, though the page reads the request again. */
function AskedDialog({
  dialog,
  kept,
  request: latest,
  plan,
  onClose,
}: {
  dialog: Asked
  kept: InterruptedAction | null
  request: ChangeRequestDetail
  plan: ShownPlan
  onClose: () => void
}) {
  const [request] = useState(latest)
  const shared = { request, onClose }
  switch (dialog) {
    case 'schedule':
      return <ScheduleDialog kept={kept} frozenUntil={plan.frozenUntil} {...shared} />
    case 'describe':
      return <DescribeDialog {...shared} />
    case 'batch':
      return <BatchEditor plan={plan} {...shared} />
    default:
      return (
        <StepDialog
          step={dialog}
          initialReason={kept?.reason ?? ''}
          latest={latest}
          plan={plan}
          {...shared}
        />
      )
  }
}

/** The next steps, the most likely one last; the others are in the menu. */
function Buttons({
  request,
  plan,
  onAsk,
}: {
  request: ChangeRequestDetail
  plan: ShownPlan
  onAsk: (dialog: Asked) => void
}) {
  const t = useText()
  const { changeRequestId, revision, state, may, kind, scope, conflicts, approvedBy } = request
  const { user } = useShell()
  // who has edited it since is one of its authors, and their approval does not count any more
  const hasApproved =
    approvedBy.some(({ by, outdated }) => by.id === user?.id && outdated !== true) &&
    !authorsOf(request).some(({ id }) => id === user?.id)
  const mayApprove = useMay('change:approve', scope ?? 'anywhere')
  const submit = useWrite('POST /change-requests/{changeRequestId}/submit', { invalidates: CHANGED })
  const rebase = useWrite('POST /change-requests/{changeRequestId}/rebase', { invalidates: CHANGED })
  const unschedule = useWrite('POST /change-requests/{changeRequestId}/unschedule', { invalidates: CHANGED })
  const error = useErrorView(submit.error ?? rebase.error ?? unschedule.error)
  const call = { params: { changeRequestId }, body: { revision } }
  const editing = editorOf(request)
  return (
    <>
      {error !== null && <ErrorState error={error} />}
      {may.edit && editing !== null && (
        <LinkButton to={editing} icon="edit">
          {t('changes.edit')}
        </LinkButton>
      )}
      {may.edit && editing === null && (
        <Button
          icon="edit"
          disabledReason={kind === 'BATCH' && plan.batch === undefined && plan.notReady}
          onClick={() => onAsk(kind === 'BATCH' ? 'batch' : 'describe')}
        >
          {t('changes.edit')}
        </Button>
      )}
      {may.edit && state === 'DRAFT' && (
        <Button variant="primary" busy={submit.isPending} onClick={() => submit.mutate(call)}>
          {t('changes.submit')}
        </Button>
      )}
      {may.reject && <Button onClick={() => onAsk('reject')}>{t('changes.reject')}</Button>}
      {(state === 'OPEN' || state === 'APPROVED' || state === 'SCHEDULED') && (
        <Button
          variant={may.apply || hasApproved ? 'secondary' : 'primary'}
          {...(hasApproved && { icon: 'done' as const })}
          disabledReason={
            hasApproved
              ? t('changes.approved.about')
              : !may.approve
                ? t(
                    // its authors can neither approve nor reject it
                    !may.reject && mayApprove
                      ? 'changes.own.approval'
                      : may.reject && conflicts.length > 0
                        ? 'changes.conflicts.approval'
                        : 'changes.permission.approve',
                  )
                : plan.effect === null && plan.notReady
          }
          onClick={() => onAsk('approve')}
        >
          {t(hasApproved ? 'changes.approved' : 'changes.approve')}
        </Button>
      )}
      {may.apply && (
        <Button
          variant="primary"
          disabledReason={plan.refused ?? (plan.planToken === null && plan.notReady)}
          onClick={() => onAsk('apply')}
        >
          {t('changes.apply')}
        </Button>
      )}
      {(may.edit || may.override) && (
        <MoreMenu
          request={request}
          canDescribe={editing !== null || kind === 'BATCH'}
          onAsk={onAsk}
          onRebase={() => rebase.mutate(call)}
          onUnschedule={() => unschedule.mutate(call)}
        />
      )}
    </>
  )
}

function MoreMenu({
  request: { state, schedule, may },
  canDescribe,
  onAsk,
  onRebase,
  onUnschedule,
}: {
  request: ChangeRequestDetail
  /** If "Edit" opens something else. */
  canDescribe: boolean
  onAsk: (dialog: Asked) => void
  onRebase: () => void
  onUnschedule: () => void
}) {
  const t = useText()
  return (
    <Menu
      label={t('changes.more')}
      renderTrigger={(props) => <Button {...props}>{t('changes.more')}</Button>}
    >
      {may.override && <MenuItem onSelect={() => onAsk('override')}>{t('changes.override')}</MenuItem>}
      {may.edit && (
        <>
          {state !== 'DRAFT' && (
            <MenuItem onSelect={() => onAsk('schedule')}>{t('changes.schedule')}</MenuItem>
          )}
          {schedule !== null && <MenuItem onSelect={onUnschedule}>{t('changes.unschedule')}</MenuItem>}
          {state === 'CONFLICTED' && <MenuItem onSelect={onRebase}>{t('changes.rebase')}</MenuItem>}
          {canDescribe && <MenuItem onSelect={() => onAsk('describe')}>{t('changes.describe')}</MenuItem>}
          <MenuItem onSelect={() => onAsk('withdraw')}>{t('changes.withdraw')}</MenuItem>
        </>
      )}
    </Menu>
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

/** The batch of a request in the dialog that makes batches; its plan stays as it was read when it opened. */
function BatchEditor({
  request,
  plan,
  onClose,
}: {
  request: ChangeRequestDetail
  plan: ShownPlan
  onClose: () => void
}) {
  const [again] = useState(() => {
    const { action, batch } = request.input
    if (action === undefined || batch === undefined || plan.batch === undefined) return null
    const { reason, input } = request
    return { action, ...againOf({ ...input, action, input: batch, reason }, plan.batch.items) }
  })
  if (again === null) return null
  return (
    <Suspense>
      <LazyBatchDialog
        action={again.action}
        targets={again.targets}
        again={again}
        edited={request}
        {...(again.install && { install: again.install })}
        onClose={onClose}
      />
    </Suspense>
  )
}
