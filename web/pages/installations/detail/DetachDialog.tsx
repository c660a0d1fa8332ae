import { useNavigate } from '@tanstack/react-router'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../../api/write.ts'
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan } from '../../../subjects/plan/use-operation-plan.ts'
import { ScopeText } from '../../../subjects/scopes/ScopeText.tsx'
import { ConfirmForm } from '../../../forms/dialogs/ConfirmForm.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'

/** Describes the DETACH, asks for a reason and for the bundle id, then opens the operation. */
export function DetachDialog({ detail, onClose }: { detail: InstallationDetail; onClose: () => void }) {
  const t = useText()
  const rich = useRichText()
  const navigate = useNavigate()
  const detach = useWrite('POST /installations/{bundleInstallId}/detach', {
    invalidates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const { bundleInstallId, bundle } = detail.installation
  const request = { params: { bundleInstallId } }
  const planned = useOperationPlan('POST /installations/{bundleInstallId}/detach/plan', request)
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('installations.detach.title', { bundle: detail.title ?? bundle.bundleId })}
      confirm={t('installations.detach.confirm')}
      reason={{ label: t('installations.detach.reason'), required: true }}
      word={bundle.bundleId}
      plan={<OperationPlanView state={planned} />}
      send={async ({ reason }) => {
        const { operation } = await planned.send(request, (token) =>
          detach.mutateAsync({ params: { bundleInstallId }, body: { reason, ...token } }),
        )
        await navigate(paths.operation(operation.operationId))
      }}
    >
      <p>{rich('installations.detach.what', { scope: <ScopeText scope={detail.installation} /> })}</p>
      <ul className="list-disc space-y-1 pl-5">
        <li>{t('installations.detach.references')}</li>
        <li>{t('installations.detach.forever')}</li>
      </ul>
    </ConfirmForm>
  )
}
