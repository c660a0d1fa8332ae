import { useCallback, useState } from 'react'
import type { Batch } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useInterruptedAction, keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { Notice } from '../../ui/Notice.tsx'

/** Continues a paused batch, starts a wave that waits, or stops an unfinished batch. */
export function BatchActions({ batch }: { batch: Batch }) {
  const t = useText()
  const { batchId, state, waiting, may = { continue: false, stop: false } } = batch
  const [isStopping, setStopping] = useState(false)
  // what cannot be undone is confirmed; the text is the reason to begin with
  const [continuing, setContinuing] = useState<{ reason: string; isResumed: boolean } | null>(null)
  useInterruptedAction(
    `continue.${batchId}`,
    useCallback(({ reason }) => setContinuing({ reason, isResumed: true }), []),
  )
  const resume = useWrite('POST /batches/{batchId}/continue', {
    invalidates: ['GET /batches', 'GET /batches/{batchId}', 'GET /batches/{batchId}/items'],
  })
  const disabledReason = (isAllowed: boolean) => (isAllowed ? null : t('batches.permission'))
  const resumeBatch = () =>
    resume.mutate(
      { params: { batchId }, body: {} },
      { onError: (error) => showToast({ tone: 'error', text: errorView(error).message }) },
    )
  const needsRecentSignIn = batch.action === 'TAKEOVER' || batch.overrides === true
  if (state !== 'RUNNING' && state !== 'PAUSED') return null
  return (
    <>
      {state === 'PAUSED' && (
        <Button
          variant="primary"
          // in the line of a phone, it would be out of view
          className="max-sm:order-first"
          busy={resume.isPending}
          disabledReason={disabledReason(may.continue)}
          onClick={needsRecentSignIn ? () => setContinuing({ reason: '', isResumed: false }) : resumeBatch}
        >
          {t('batches.continue')}
        </Button>
      )}
      {waiting !== undefined && (
        <Button
          disabledReason={disabledReason(may.continue)}
          onClick={() => setContinuing({ reason: '', isResumed: false })}
        >
          {t('batches.waves.start', { number: waiting.wave })}
        </Button>
      )}
      <Button
        variant="dangerQuiet"
        disabledReason={disabledReason(may.stop)}
        onClick={() => setStopping(true)}
      >
        {t('batches.stop')}
      </Button>
      {(state === 'PAUSED' || waiting !== undefined) && continuing !== null && (
        <ContinueDialog batch={batch} {...continuing} onClose={() => setContinuing(null)} />
      )}
      {isStopping && <StopDialog batchId={batchId} onClose={() => setStopping(false)} />}
    </>
  )
}

/**
 * Continues a batch of takeovers or one that overrides, which needs a recent sign-in, as making it does; or starts the wave that
 * waits in spite of its conditions, with a reason.
 */
function ContinueDialog({
  batch: { batchId, action, counts, byWave, waiting },
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
  // what the person saw, also if another wave waits meanwhile
  const [wave] = useState(waiting?.wave)
  const inWave = byWave?.find((one) => one.wave === wave)?.counts.PENDING
  return (
    <ConfirmForm
      danger={action === 'TAKEOVER'}
      title={
        wave === undefined ? t('batches.continue.title') : t('batches.waves.start.title', { number: wave })
      }
      confirm={
        wave === undefined
          ? action === 'TAKEOVER'
            ? t('batches.continue.takeovers', { n: counts.PENDING })
            : t('batches.continue')
          : t('batches.waves.start', { number: wave })
      }
      reason={{ label: t('batches.make.reason'), required: wave !== undefined }}
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
        await resume.mutateAsync({
          params: { batchId },
          body: { ...reasonIn({ reason }), ...(wave !== undefined && { wave }) },
        })
        onClose()
      }}
    >
      {isResumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      {wave !== undefined && <p>{t('batches.waves.start.text')}</p>}
      {action === 'TAKEOVER' && <p>{t('batches.continue.text', { n: inWave ?? counts.PENDING })}</p>}
    </ConfirmForm>
  )
}

function StopDialog({ batchId, onClose }: { batchId: string; onClose: () => void }) {
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
