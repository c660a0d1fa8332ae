import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'

export function StopDialog({ batchId, onClose }: { batchId: string; onClose: () => void }) {
  const t = useText()
  const stop = useWrite('POST /batches/{batchId}/stop', {
    invalidates: ['GET /batches', 'GET /batches/{batchId}', 'GET /batches/{batchId}/items'],
  })
  return (
    <ConfirmForm
      danger
      title={t('batches.stop.title')}
      confirm={t('batches.stop')}
      reason={{ label: t('batches.make.reason'), required: false }}
      onClose={onClose}
      send={async ({ reason }) => {
        await stop.mutateAsync({ params: { batchId }, body: reasonIn({ reason }) })
        onClose()
      }}
    >
      <p>{t('batches.stop.text')}</p>
    </ConfirmForm>
  )
}
