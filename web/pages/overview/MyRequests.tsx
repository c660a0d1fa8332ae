import { useQuery } from '@tanstack/react-query'
import { openChangeRequestsCall } from '#contract/console-api/pages/change-requests.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { useText } from '../../i18n/use-text.ts'
import { changeLook } from '../../subjects/change-requests/change-looks.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'
import { ItemLayout } from './items.tsx'

const SHOWN = 5

/** The person's own change requests that have not ended, also the drafts that they shared on another device. */
export function MyRequests() {
  const personId = useShell().user?.id
  return personId === undefined ? null : <Requests personId={personId} />
}

function Requests({ personId }: { personId: string }) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /change-requests', openChangeRequestsCall({ author: personId })))
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <Section
      title={t('overview.requests.title')}
      actions={
        <TextLink to={paths.changeRequests({ author: personId })}>{t('overview.requests.all')}</TextLink>
      }
      flush
    >
      <Card padded={false}>
        <ul className="divide-y divide-line">
          {items.slice(0, SHOWN).map(({ changeRequestId, title, state, updatedAt }) => (
            <ItemLayout
              key={changeRequestId}
              look={changeLook[state]}
              word={t(`changes.state.${state}`)}
              isWordShown
              title={title}
              to={paths.changeRequest(changeRequestId)}
              when={<Time at={updatedAt} inRow />}
            />
          ))}
        </ul>
      </Card>
    </Section>
  )
}
