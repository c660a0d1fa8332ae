import { useQuery } from '@tanstack/react-query'
import { operationName } from './operation-texts.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { Id, shortenId } from '../../ui/Id.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'

/** A link to an operation, with its name and state once they are loaded. */
export function OperationLink({ id }: { id: string }) {
  const t = useText()
  const isStored = useAsOf() !== null
  const { data } = useQuery({
    ...apiQuery('GET /operations/{operationId}', { params: { operationId: id } }),
    enabled: !isStored,
  })
  if (isStored) return <Id id={id} full />
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <TextLink to={paths.operation(id)}>
        {data ? operationName(data, t) : <span className="mono">{shortenId(id)}</span>}
      </TextLink>
      {data && <OperationBadge state={data.state} />}
    </span>
  )
}
