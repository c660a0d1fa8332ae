import { useQuery } from '@tanstack/react-query'
import type { Scope } from '#contract/protocol/scope.ts'
import { openChangeRequestsCall } from '#contract/console-api/pages/change-requests.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { useText } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { changeLook } from './change-looks.ts'

/** The change requests of an installation or a scope that have not ended. Nothing, without any. */
export function OpenChangeRequests({
  of,
  except,
}: {
  of: { bundleInstallId: string } | Scope
  /** The ID of one that the page shows in another way. */
  except?: string | undefined
}) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /change-requests', openChangeRequestsCall(of)))
  const items = (data?.items ?? []).filter(({ changeRequestId }) => changeRequestId !== except)
  if (items.length === 0) return null
  return (
    <Notice icon="review">
      {/* beside each other: the box is on every tab of the page */}
      <div className="flex flex-wrap gap-x-4">
        <p className="font-semibold">{t('changes.open', { n: items.length })}</p>
        <ul className="contents">
          {items.map((request) => (
            <li
              key={request.changeRequestId}
              title={request.title}
              className="flex min-w-0 items-center gap-x-2 max-sm:flex-wrap"
            >
              <PlainLink
                to={paths.changeRequest(request.changeRequestId)}
                className="target truncate rounded-sm font-medium text-accent hover:underline"
              >
                {request.title}
              </PlainLink>
              <span className="max-w-40 shrink-0 truncate text-xs text-muted">{request.createdBy.name}</span>
              <Badge look="plain" {...changeLook[request.state]} className="shrink-0">
                {t(`changes.state.${request.state}`)}
              </Badge>
            </li>
          ))}
        </ul>
      </div>
    </Notice>
  )
}
