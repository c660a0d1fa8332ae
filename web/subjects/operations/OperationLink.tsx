import { useQuery } from '@tanstack/react-query'
import { operationName } from './operation-texts.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { IdLink } from '../../ui/Id.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'

/** A link to an operation, with its name and state once they are loaded. */
export function OperationLink({ id }: { id: string }) {
  const t = useText()
  const { data } = useQuery({
    ...apiQuery('GET /operations/{operationId}', { params: { operationId: id } }),
    enabled: useAsOf() === null,
  })
  return (
    <IdLink id={id} to={paths.operation(id)} name={data && operationName(data, t)}>
      {data && <OperationBadge state={data.state} />}
    </IdLink>
  )
}
