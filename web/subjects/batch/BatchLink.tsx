import { useQuery } from '@tanstack/react-query'
import { batchCall } from '#contract/console-api/pages/batches.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Id, shortenId } from '../../ui/Id.tsx'
import { TextLink } from '../../ui/Link.tsx'
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
  const isStored = useAsOf() !== null
  const { data } = useQuery({
    ...apiQuery('GET /batches/{batchId}', batchCall(id)),
    enabled: !isStored,
  })
  if (isStored) return <Id id={id} full />
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <TextLink to={paths.batch(id)}>
        {data ? batchTitle(data, t) : (word ?? <span className="mono">{shortenId(id)}</span>)}
      </TextLink>
      {data && (
        <Badge look="plain" {...lookOfBatch(data)}>
          {batchStateText(data, t)}
        </Badge>
      )}
      {isExplained && data?.waiting && (
        <span>{t(needsPerson(data) ? 'batches.waiting.person' : 'batches.waiting.itself')}</span>
      )}
    </span>
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
