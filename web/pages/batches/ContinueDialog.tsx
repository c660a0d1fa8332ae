import type { Batch } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'

/** Continues a batch of takeovers, which needs a recent sign-in, as making it does. */
export function ContinueDialog({
  batch: { batchId, counts },
  reason: initialReason,
  isResumed,
  onClose,
}: {
  batch: Batch
  reason: string
  /** The person left this dialog to sign in again. */
  isResumed: boolean
  onClose: () => void
}) {
  const t = useText()
  const resume = useWrite('POST /batches/{batchId}/continue', {
    invalidates: ['GET /batches', 'GET /batches/{batchId}', 'GET /batches/{batchId}/items'],
  })
  return (
    <ConfirmForm
      danger
      title={t('batches.continue.title')}
      confirm={t('batches.continue.takeovers', { n: counts.PENDING })}
      reason={{ label: t('batches.make.reason'), required: false }}
      initialReason={initialReason}
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain
            keep={(personId) => keepAction(personId, `continue.${batchId}`, { target: batchId, reason })}
          />
        )
      }
      onClose={onClose}
      send={async ({ reason }) => {
        await resume.mutateAsync({ params: { batchId }, body: reasonIn({ reason }) })
        onClose()
      }}
    >
      {isResumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <p>{t('batches.continue.text', { n: counts.PENDING })}</p>
    </ConfirmForm>
  )
}
