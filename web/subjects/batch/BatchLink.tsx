import { useQuery } from '@tanstack/react-query'
import { batchCall } from '#contract/console-api/pages/batches.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { Badge } from '../../ui/Badge.tsx'
import { IdLink } from '../../ui/Id.tsx'
import { batchStateText, lookOfBatch, needsPerson } from './batch-looks.ts'
import { batchTitle } from './batch-title.ts'

/**
 * A link to a batch, with its name and state once they are loaded; `word` is its name until then. With `isExplained`, it says
 * whether one that waits goes on by itself.
 */
export function BatchLink({
  id,
  word,
  isExplained = false,
}: {
  id: string
  word?: string
  isExplained?: boolean
}) {
  const t = useText()
  const { data } = useQuery({
    ...apiQuery('GET /batches/{batchId}', batchCall(id)),
    enabled: useAsOf() === null,
  })
  return (
    <IdLink id={id} to={paths.batch(id)} name={data ? batchTitle(data, t) : word}>
      {data && (
        <Badge look="plain" {...lookOfBatch(data)}>
          {batchStateText(data, t)}
        </Badge>
      )}
      {isExplained && data?.waiting && (
        <span>{t(needsPerson(data) ? 'batches.waiting.person' : 'batches.waiting.itself')}</span>
      )}
    </IdLink>
  )
}

/** The batches that started the operation or a run of it, each with its state. */
export function BatchesOf({
  operation,
  isExplained = false,
}: {
  operation: OperationDetail
  isExplained?: boolean
}) {
  const t = useText()
  const isDowngraded = isDowngrade(operation.currentVersion, operation.targetVersion)
  return (
    <ul>
      {operation.batches?.map(({ batchId, action }) => (
        <li key={batchId}>
          <BatchLink
            id={batchId}
            isExplained={isExplained}
            word={t(`operations.batch.${action === 'UPGRADE' && isDowngraded ? 'DOWNGRADE' : action}`)}
          />
        </li>
      ))}
    </ul>
  )
}
