import type { Operation } from '#contract/console-api/shapes.ts'
import type { Limits } from '../../components/batch/limits.ts'
import { lazyForm } from '../../components/lazy-part.ts'

const BatchDialog = lazyForm(async () => (await import('../../components/batch/BatchDialog.tsx')).BatchDialog)

/** The dialog that retries failed operations as one batch. */
export function RetryBatch({
  operations,
  limits,
  onClose,
}: {
  operations: readonly Operation[]
  limits?: Limits
  onClose: () => void
}) {
  return (
    <BatchDialog
      action="RETRY"
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
