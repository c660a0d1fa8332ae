import type { Plugin, PluginCredential } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Id } from '../../ui/Id.tsx'
import { showToast } from '../../ui/toast.ts'

export function RevokeCredential({
  plugin,
  credential,
  isLast,
  onClose,
}: {
  plugin: Plugin
  credential: PluginCredential
  isLast: boolean
  onClose: () => void
}) {
  const t = useText()
  const revoke = useWrite('DELETE /plugins/{pluginId}/credentials/{credentialId}', {
    outdates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  const error = useErrorView(revoke.error)
  const { credentialId } = credential
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={t('plugins.revoke.title')}
      confirm={t('plugins.revoke.confirm')}
      busy={revoke.isPending}
      error={error}
      onConfirm={() =>
        revoke.mutate(
          { params: { pluginId: plugin.pluginId, credentialId } },
          {
            onSuccess: () => {
              showToast({ text: t('plugins.revoke.done') })
              onClose()
            },
          },
        )
      }
    >
      <p>
        <Id id={credentialId} full />
      </p>
      <p>{t('plugins.revoke.text', { plugin: plugin.title })}</p>
      {isLast && <p className="font-medium">{t('plugins.revoke.last')}</p>}
    </ConfirmDialog>
  )
}
