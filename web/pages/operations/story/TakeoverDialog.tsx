import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../../api/write.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import { ScopeText } from '../../../components/ScopeText.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { outcomeLook } from '../../../ui/states.ts'
import { showToast } from '../../../ui/toast.ts'
import { rehearsal } from './rehearsal.ts'
import type { Timeline } from './timeline.ts'
import { verdictLook } from './verdict.ts'

/** A DETACH over a failed operation: what ends, what will be called, and that there is no way back. */
export function TakeoverDialog({
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
  const navigate = useNavigate()
  const takeOver = useWrite('POST /operations/{operationId}/takeover', {
    outdates: ['GET /operations/{operationId}', 'GET /operations', 'GET /summary', 'GET /installations'],
  })
  const error = useErrorView(takeOver.error)
  const { installation, operationId, run } = operation
  const calls = rehearsal(timeline)

  // an event may be faster than the answer, so what follows hangs on the answer and not on what is shown
  const confirm = async ({ reason }: { reason: string }) => {
    const answer = await takeOver.mutateAsync({ params: { operationId }, body: { run, reason } })
    showToast({ tone: 'info', text: t('operations.takeover.accepted') })
    onClose()
    await navigate(paths.operation(answer.operation.operationId))
  }
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      onConfirm={(answer) => void confirm(answer).catch(shownAsError)}
      title={t('operations.takeover.title')}
      confirm={t('operations.takeover.confirm')}
      busy={takeOver.isPending}
      error={error}
      reason={{ label: t('operations.takeover.reason'), required: true }}
      word={installation.bundle.bundleId}
    >
      {!takeOver.isPending && moved}
      <Notice tone="error" icon="warning" title={t('operations.takeover.warning')}>
        <ul className="list-disc space-y-0.5 pl-4">
          <li>{t('operations.takeover.ends')}</li>
          <li>
            {rich('operations.takeover.detaches', {
              bundle: <span className="mono font-semibold">{installation.bundle.bundleId}</span>,
              scope: <ScopeText scope={installation} />,
            })}
          </li>
          <li>{t('operations.takeover.references')}</li>
        </ul>
      </Notice>
      <p className="text-muted">{t('operations.takeover.again')}</p>
      {calls.length === 0 ? (
        <p>{t('operations.takeover.noPlugins')}</p>
      ) : (
        <div>
          <p className="font-medium">{t('operations.takeover.calls')}</p>
          <ol className="mt-1 divide-y divide-line rounded-md border border-line">
            {calls.map(({ pluginId, order, last }) => {
              const look = last.result === 'NOT_CALLED' ? outcomeLook.NOT_CALLED : verdictLook[last.result]
              return (
                <li key={pluginId} className="flex flex-wrap items-center gap-x-3 px-3 py-1.5">
                  <span className="w-5 text-right text-xs text-faint tabular-nums">{order}</span>
                  <span className="mono min-w-0 flex-1 truncate font-medium">{pluginId}</span>
                  <span className="flex items-center gap-1.5 text-xs text-faint">
                    {t('operations.takeover.lastResult')}
                    <Badge look="plain" tone={look.tone} icon={look.icon}>
                      {t(look.word)}
                    </Badge>
                  </span>
                </li>
              )
            })}
          </ol>
        </div>
      )}
    </ConfirmDialog>
  )
}

const shownAsError = () => undefined
