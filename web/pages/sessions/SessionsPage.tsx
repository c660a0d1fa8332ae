import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { allSessionsCall, ownSessionsCall } from '#contract/console-api/pages/sessions.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { SessionEntry } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { roleName } from '../../subjects/people/role-name.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Mono } from '../../ui/Id.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import { browserName } from './browser-name.ts'
import type { Ending } from './EndSessionDialog.tsx'

const EndSessionDialog = lazyPart(async () => (await import('./EndSessionDialog.tsx')).EndSessionDialog)

const route = getRouteApi('/sessions')

/** The sessions of the person or, for administrators, of everyone. */
export function SessionsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay('account:write', 'everywhere')
  const isEveryone = may && search.whose === 'everyone'
  const [ending, setEnding] = useState<Ending | null>(null)
  const own = useQuery({ ...apiQuery('GET /sessions', ownSessionsCall), enabled: !isEveryone })
  const everyone = useQuery({
    ...apiQuery('GET /sessions/everyone', allSessionsCall(search)),
    placeholderData: keepPreviousData,
    enabled: isEveryone,
  })
  const columns = useMemo(() => sessionColumns(t, isEveryone, setEnding), [t, isEveryone])
  return (
    <Page
      title={t(isEveryone ? 'sessions.title.everyone' : 'sessions.title')}
      lead={t(isEveryone ? 'sessions.about.everyone' : 'sessions.about')}
      actions={
        may && (
          <LinkButton to={paths.sessions(isEveryone ? {} : { whose: 'everyone' })} icon="person">
            {t(isEveryone ? 'sessions.title' : 'sessions.title.everyone')}
          </LinkButton>
        )
      }
    >
      {isEveryone && (
        <div className="mb-3">
          <SearchInput
            label={t('sessions.search')}
            value={search.q ?? ''}
            onSearch={(q) =>
              void navigate({
                search: omitUndefined({ whose: search.whose, q: q === '' ? undefined : q }),
                replace: true,
              })
            }
          />
        </div>
      )}
      <QueryTable
        label={t(isEveryone ? 'sessions.title.everyone' : 'sessions.title')}
        query={isEveryone ? everyone : own}
        columns={columns}
        rowKey={rowKey}
        lines={2}
        skeletonRows={3}
        cursor={search.cursor}
        pageLink={(cursor) => paths.sessions(omitUndefined({ ...search, cursor }))}
        onClear={search.q !== undefined && (() => void navigate({ search: { whose: 'everyone' } }))}
        empty={<EmptyState icon="screen" title={t('sessions.none.title')} message={t('sessions.none')} />}
      />
      {ending && (
        <Suspense>
          <EndSessionDialog ending={ending} onClose={() => setEnding(null)} />
        </Suspense>
      )}
    </Page>
  )
}

/** The browser in words, with its whole name on demand. */
function BrowserText({ userAgent }: { userAgent: string | null }) {
  const t = useText()
  if (userAgent === null) return <Nothing />
  const named = browserName(userAgent)
  return (
    <span className="block truncate" title={userAgent}>
      {named === null ? userAgent : t('sessions.browserOn', named)}
    </span>
  )
}

const rowKey = ({ sessionId }: SessionEntry) => sessionId

const sessionColumns = (
  t: Translate,
  isEveryone: boolean,
  end: (ending: Ending) => void,
): Column<SessionEntry>[] => [
  ...(isEveryone
    ? [
        {
          id: 'person',
          header: t('sessions.person'),
          cell: ({ person, sessionId }: SessionEntry) => (
            <>
              <span id={`of-${sessionId}`} className="block truncate font-medium">
                {person.name}
              </span>
              <Mono className="block truncate text-xs text-faint">{person.id}</Mono>
            </>
          ),
          width: 'max(12rem, 24cqi)',
        },
        {
          id: 'roles',
          header: t('sessions.roles'),
          cell: ({ roles }: SessionEntry) =>
            joinList(
              t,
              roles.map((role) => roleName(role, t)),
            ),
          card: 'plain' as const,
          width: '10rem',
          hideBelow: 'lg' as const,
        },
      ]
    : []),
  {
    id: 'browser',
    header: t('sessions.browser'),
    cell: ({ userAgent, clientAddress, isCurrent }) => (
      <>
        <span className="flex items-center gap-2">
          <BrowserText userAgent={userAgent} />
          {isCurrent && (
            <Badge tone="ok" className="shrink-0">
              {t('sessions.current')}
            </Badge>
          )}
        </span>
        {clientAddress !== null && <Mono className="block truncate text-xs text-faint">{clientAddress}</Mono>}
      </>
    ),
    card: 'wide',
  },
  {
    id: 'created',
    header: t('sessions.created'),
    cell: ({ createdAt }) => <Time at={createdAt} inRow />,
    width: '8.25rem',
    ...(isEveryone && { hideBelow: 'lg' }),
  },
  {
    id: 'seen',
    header: t('sessions.seen'),
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} inRow />,
    width: '8.25rem',
  },
  {
    id: 'actions',
    header: t('sessions.actions'),
    headerHidden: true,
    align: 'end',
    card: 'wide',
    width: isEveryone ? '9.5rem' : '7rem',
    cell: (session) =>
      session.isCurrent && !isEveryone ? null : (
        <span className="inline-flex flex-wrap justify-end gap-2">
          {!session.isCurrent && (
            <Button
              size="sm"
              variant="dangerQuiet"
              of={isEveryone ? `of-${session.sessionId}` : undefined}
              onClick={() => end({ session, isAll: false })}
            >
              {t('sessions.end')}
            </Button>
          )}
          {isEveryone && (
            <Button
              size="sm"
              variant="dangerQuiet"
              of={`of-${session.sessionId}`}
              onClick={() => end({ session, isAll: true })}
            >
              {t('sessions.endAll')}
            </Button>
          )}
        </span>
      ),
  },
]
