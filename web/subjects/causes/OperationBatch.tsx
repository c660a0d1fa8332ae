import type { Operation } from '#contract/console-api/shapes.ts'
import type { Limits } from '../batch/batch-limits.ts'
import { LazyBatchDialog } from '../batch/dialog/lazy-batch-dialog.ts'

/** The dialog that retries failed operations, or takes them over, as one batch. */
export function OperationBatch({
  action,
  operations,
  limits,
  onClose,
}: {
  action: 'RETRY' | 'TAKEOVER'
  operations: readonly Operation[]
  limits?: Limits
  onClose: () => void
}) {
  return (
    <LazyBatchDialog
      action={action}
      targets={operations.map(({ operationId, installation, currentVersion }) => ({
        id: operationId,
        installation,
        title: null,
        version: currentVersion,
      }))}
      {...(limits && { limits })}
      onClose={onClose}
    />
  )
}
