import { useCallback, useState } from 'react'
import { BATCH_PERMISSION } from '#contract/console-api/vocabulary.ts'
import type { Batch } from '#contract/console-api/shapes.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useInterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { ContinueDialog } from './ContinueDialog.tsx'
import { StopDialog } from './StopDialog.tsx'

/** Continues a paused batch, or stops an unfinished one. */
export function BatchActions({ batch }: { batch: Batch }) {
  const t = useText()
  const { batchId, state } = batch
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
  // the server checks the scopes of all items
  const may = useMay(BATCH_PERMISSION[batch.action], 'anywhere')
  const disabledReason = may ? null : t('batches.permission')
  const resumeBatch = () =>
    resume.mutate(
      { params: { batchId }, body: {} },
      { onError: (error) => showToast({ tone: 'error', text: errorView(error).message }) },
    )
  if (state !== 'RUNNING' && state !== 'PAUSED') return null
  return (
    <>
      {state === 'PAUSED' && (
        <Button
          variant="primary"
          busy={resume.isPending}
          disabledReason={disabledReason}
          onClick={
            batch.action === 'TAKEOVER' ? () => setContinuing({ reason: '', isResumed: false }) : resumeBatch
          }
        >
          {t('batches.continue')}
        </Button>
      )}
      <Button variant="dangerQuiet" disabledReason={disabledReason} onClick={() => setStopping(true)}>
        {t('batches.stop')}
      </Button>
      {state === 'PAUSED' && continuing !== null && (
        <ContinueDialog batch={batch} {...continuing} onClose={() => setContinuing(null)} />
      )}
      {isStopping && <StopDialog batchId={batchId} onClose={() => setStopping(false)} />}
    </>
  )
}
