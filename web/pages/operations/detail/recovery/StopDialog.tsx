import { ConfirmForm } from '../../../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../../../i18n/use-text.ts'
import type { RecoveryProps } from './recovery-props.ts'
import { useRecovery } from './use-recovery.ts'

/** Stops the automatic retries, so that the operation can be taken over without waiting for the last attempt. */
export function StopDialog({ operation, onClose, change }: RecoveryProps) {
  const t = useText()
  const stop = useRecovery('stop-retrying')
  const { operationId, run } = operation
  return (
    <ConfirmForm
      change={change}
      onClose={onClose}
      title={t('recovery.stop.title')}
      confirm={t('recovery.stop.confirm')}
      reason={{ label: t('operations.field.reason'), required: true }}
      send={async ({ reason }) => {
        await stop.mutateAsync({ params: { operationId }, body: { run, reason } })
        onClose()
      }}
    >
      <p>{t('recovery.stop.about')}</p>
      <p className="text-muted">{t('recovery.stop.unknown')}</p>
    </ConfirmForm>
  )
}
