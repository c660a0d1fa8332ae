import { useQuery } from '@tanstack/react-query'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Id, shortenId } from '../../ui/Id.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { changeLook } from './change-looks.ts'

/** A link to a change request, with its title and state once they are loaded. */
export function ChangeRequestLink({ id }: { id: string }) {
  const t = useText()
  const isStored = useAsOf() !== null
  const { data } = useQuery({
    ...apiQuery('GET /change-requests/{changeRequestId}', changeRequestCall(id)),
    enabled: !isStored,
  })
  if (isStored) return <Id id={id} full />
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <TextLink to={paths.changeRequest(id)}>
        {data?.title ?? <span className="mono">{shortenId(id)}</span>}
      </TextLink>
      {data && (
        <Badge look="plain" {...changeLook[data.state]}>
          {t(`changes.state.${data.state}`)}
        </Badge>
      )}
    </span>
  )
}
