import { Suspense, useState } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { Button } from '../../../../ui/Button.tsx'

const CompareOperations = lazyPart(async () => (await import('./CompareOperations.tsx')).CompareOperations)

/** Opens the comparison with an operation that succeeded; a stored receipt has none. */
export function CompareButton({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  if (useAsOf() !== null) return null
  return (
    <>
      <Button size="sm" icon="beside" {...CompareOperations.onIntent} onClick={() => setOpen(true)}>
        {t('operations.comparison.button')}
      </Button>
      {isOpen && (
        <Suspense>
          <CompareOperations operation={operation} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
