import { useNavigate } from '@tanstack/react-router'
import type { Webhook } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { showToast } from '../../ui/toast.ts'

export function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const remove = useWrite('DELETE /webhooks/{webhookId}', { invalidates: ['GET /webhooks'] })
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('notifications.delete.title', { webhook: webhook.title })}
      confirm={t('notifications.delete')}
      send={async () => {
        await remove.mutateAsync({ params: { webhookId: webhook.webhookId } })
        showToast({ text: t('notifications.delete.done') })
        void navigate(paths.notifications())
      }}
    >
      <p>{t('notifications.delete.text')}</p>
    </ConfirmForm>
  )
}
