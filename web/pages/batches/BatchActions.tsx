import { Suspense, useState } from 'react'
import type { Batch } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { lazyForm } from '../../components/lazy-part.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'

const StopDialog = lazyForm(async () => (await import('./StopDialog.tsx')).StopDialog, ['batches'])

/** Continues a paused batch, or stops an unfinished one. */
export function BatchActions({ batch }: { batch: Batch }) {
  const t = useText()
  const { batchId, state } = batch
  const [isStopping, setStopping] = useState(false)
  const resume = useWrite('POST /batches/{batchId}/continue', {
    invalidates: ['GET /batches', 'GET /batches/{batchId}', 'GET /batches/{batchId}/items'],
  })
  const error = useErrorView(resume.error)
  if (state !== 'RUNNING' && state !== 'PAUSED') return null
  return (
    <>
      {error && (
        <span role="alert" className="text-fail">
          {error.message}
        </span>
      )}
      {state === 'PAUSED' && (
        <Button
          variant="primary"
          busy={resume.isPending}
          onClick={() => resume.mutate({ params: { batchId }, body: {} })}
        >
          {t('batches.continue')}
        </Button>
      )}
      <Button variant="dangerQuiet" onClick={() => setStopping(true)}>
        {t('batches.stop')}
      </Button>
      {isStopping && (
        <Suspense>
          <StopDialog batchId={batchId} onClose={() => setStopping(false)} />
        </Suspense>
      )}
    </>
  )
}
