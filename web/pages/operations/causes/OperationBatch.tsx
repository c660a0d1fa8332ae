import type { Operation } from '#contract/console-api/shapes.ts'
import type { Limits } from '../../../subjects/batch/limits.ts'
import { BatchDialog } from '../../../subjects/batch/dialog/lazy-batch-dialog.ts'

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
    <BatchDialog
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
