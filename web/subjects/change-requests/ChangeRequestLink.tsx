import { useQuery } from '@tanstack/react-query'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { Badge } from '../../ui/Badge.tsx'
import { IdLink } from '../../ui/Id.tsx'
import { changeStateText, lookOfChange } from './change-looks.ts'

/** A link to a change request, with its title and state once they are loaded. */
export function ChangeRequestLink({ id }: { id: string }) {
  const t = useText()
  const { data } = useQuery({
    ...apiQuery('GET /change-requests/{changeRequestId}', changeRequestCall(id)),
    enabled: useAsOf() === null,
  })
  return (
    <IdLink id={id} to={paths.changeRequest(id)} name={data?.title}>
      {data && (
        <Badge look="plain" {...lookOfChange(data)}>
          {changeStateText(data, t)}
        </Badge>
      )}
    </IdLink>
  )
}
