import { useNavigate } from '@tanstack/react-router'
import { keepTakeover } from '../../../../subjects/sign-in/interrupted-action.ts'
import { ScopeText } from '../../../../subjects/scopes/ScopeText.tsx'
import { needsSignIn, SignInAgain } from '../../../../subjects/sign-in/SignInAgain.tsx'
import { OperationPlanView } from '../../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan } from '../../../../subjects/plan/use-operation-plan.ts'
import { ConfirmForm } from '../../../../forms/dialogs/ConfirmForm.tsx'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { showToast } from '../../../../ui/toast.ts'
import { TakeoverCalls } from './TakeoverCalls.tsx'
import { useRecovery } from './use-recovery.ts'
import type { RecoveryProps } from './recovery-props.ts'

/** A DETACH that takes over a failed operation: what ends, which plugins are called, and that it cannot be undone. */
export function TakeoverDialog({ operation, timeline, onClose, initialReason, change }: RecoveryProps) {
  const t = useText()
  const rich = useRichText()
  const navigate = useNavigate()
  const takeOver = useRecovery('takeover')
  const { installation, operationId, run } = operation
  const request = { params: { operationId }, body: { run } }
  const planned = useOperationPlan('POST /operations/{operationId}/takeover/plan', request)
  return (
    <ConfirmForm
      change={change}
      danger
      onClose={onClose}
      title={t('recovery.takeover.title')}
      confirm={t('recovery.takeover.confirm')}
      reason={{ label: t('recovery.takeover.reason'), required: true }}
      word={installation.bundle.bundleId}
      initialReason={initialReason}
      plan={
        <OperationPlanView
          state={planned}
          calls={({ stages }) => <TakeoverCalls stages={stages} timeline={timeline} />}
        />
      }
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain keep={(personId) => keepTakeover(personId, operationId, { run, reason })} />
        )
      }
      // an event may arrive before the response, so this waits for the response of the request
      send={async ({ reason }) => {
        const answer = await planned.send(request, (token) =>
          takeOver.mutateAsync({ params: { operationId }, body: { run, reason, ...token } }),
        )
        showToast({ tone: 'info', text: t('recovery.takeover.accepted') })
        onClose()
        await navigate(paths.operation(answer.operation.operationId))
      }}
    >
      {initialReason !== '' && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <Notice tone="error" icon="warning" title={t('recovery.takeover.warning')}>
        <ul className="list-disc space-y-0.5 pl-4">
          <li>{t('recovery.takeover.ends')}</li>
          <li>
            {rich('recovery.takeover.detaches', {
              bundle: <span className="mono font-semibold">{installation.bundle.bundleId}</span>,
              scope: <ScopeText scope={installation} />,
            })}
          </li>
          <li>{t('recovery.takeover.references')}</li>
        </ul>
      </Notice>
      <p className="text-muted">{t('recovery.takeover.again')}</p>
    </ConfirmForm>
  )
}
