import { useNavigate } from '@tanstack/react-router'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../../api/write.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import { ScopeText } from '../../../components/ScopeText.tsx'
import { joinList } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'

/** Says what a DETACH does, asks why, and has the bundle id typed; then leads to the operation. */
export function DetachDialog({
  detail,
  open,
  onClose,
}: {
  detail: InstallationDetail
  open: boolean
  onClose: () => void
}) {
  const t = useText()
  const rich = useRichText()
  const navigate = useNavigate()
  const detach = useWrite('POST /installations/{bundleInstallId}/detach', {
    outdates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const error = useErrorView(detach.error)
  if (!open) return null
  const { bundleInstallId, bundle } = detail.installation
  const plugins = detail.plugins.toSorted((a, b) => b.order - a.order).map(({ pluginId }) => pluginId)
  return (
    <ConfirmDialog
      open
      danger
      onClose={() => {
        detach.reset()
        onClose()
      }}
      title={t('installations.detach.title', { bundle: detail.title ?? bundle.bundleId })}
      confirm={t('installations.detach.confirm')}
      reason={{ label: t('installations.detach.reason'), required: true }}
      word={bundle.bundleId}
      busy={detach.isPending}
      error={error}
      onConfirm={({ reason }) =>
        detach.mutate(
          { params: { bundleInstallId }, body: { reason } },
          { onSuccess: ({ operation }) => void navigate(paths.operation(operation.operationId)) },
        )
      }
    >
      <p>{rich('installations.detach.what', { scope: <ScopeText scope={detail.installation} /> })}</p>
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {plugins.length === 0
            ? t('installations.detach.noPlugins')
            : rich('installations.detach.plugins', {
                plugins: <span className="mono">{joinList(t, plugins)}</span>,
              })}
        </li>
        <li>{t('installations.detach.references')}</li>
        <li>{t('installations.detach.forever')}</li>
      </ul>
    </ConfirmDialog>
  )
}
