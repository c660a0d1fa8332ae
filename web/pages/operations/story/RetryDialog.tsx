import type { ReactNode } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../../api/write.ts'
import { describeCode, useErrorView } from '../../../components/describe-code.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { showToast } from '../../../ui/toast.ts'
import { nextCalls, type Timeline } from './timeline.ts'

/** Says what a retry will do; being accepted is not yet success, and is not told as such. */
export function RetryDialog({
  operation,
  timeline,
  onClose,
  moved,
}: {
  operation: OperationDetail
  timeline: Timeline
  onClose: () => void
  /** Said when the operation is another one by now. */
  moved: ReactNode
}) {
  const t = useText()
  const rich = useRichText()
  const retry = useWrite('POST /operations/{operationId}/retry', {
    outdates: ['GET /operations/{operationId}', 'GET /operations', 'GET /summary', 'GET /installations'],
  })
  const error = useErrorView(retry.error)
  const { failure, phase, run } = operation
  const plugins = nextCalls(timeline, operation).map(({ pluginId }) => pluginId)
  const phaseText = t(`vocabulary.phase.${phase}`)

  // an event may be faster than the answer, so what follows hangs on the answer and not on what is shown
  const confirm = async ({ reason }: { reason: string }) => {
    await retry.mutateAsync({
      params: { operationId: operation.operationId },
      body: { run, ...(reason !== '' && { reason }) },
    })
    showToast({ tone: 'info', text: t('operations.retry.accepted') })
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={(answer) => void confirm(answer).catch(shownAsError)}
      title={t('operations.retry.title')}
      confirm={t('operations.retry.confirm')}
      busy={retry.isPending}
      error={error}
      reason={{ label: t('operations.retry.reason'), required: false }}
    >
      {!retry.isPending && moved}
      {failure?.retryable === false && (
        <Notice tone="warn" title={t('operations.retry.warn')}>
          <p>{t('operations.retry.warnText', { message: failure.message })}</p>
          <p className="mt-1 font-medium">{describeCode(failure.errorCode).remedy}</p>
        </Notice>
      )}
      <p>
        {plugins.length > 0
          ? rich('operations.retry.begins', {
              plugins: <span className="mono font-semibold">{joinList(t, plugins)}</span>,
              stage: <span className="font-semibold">{phaseText}</span>,
            })
          : t('operations.retry.beginsRuntime', { stage: phaseText })}
      </p>
      <p>{t('operations.retry.same')}</p>
      <p className="text-muted">{t('operations.retry.run', { n: run + 1 })}</p>
    </ConfirmDialog>
  )
}

const shownAsError = () => undefined
