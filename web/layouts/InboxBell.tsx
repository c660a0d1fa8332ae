import { useQuery } from '@tanstack/react-query'
import { waitingCall } from '#contract/console-api/pages/change-requests.ts'
import { unreadCall } from '#contract/console-api/pages/inbox.ts'
import { paths } from '../addresses/paths.ts'
import { apiQuery } from '../api/query.ts'
import { useText } from '../i18n/use-text.ts'
import { Icon } from '../ui/Icon.tsx'
import { PlainLink } from '../ui/Link.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'

const SHOWN_MAX = 99

/** Leads to the inbox, with the number of notifications that are not read and of change requests that wait for the person. */
export function InboxBell() {
  const t = useText()
  const { user, can } = useShell()
  const { data } = useQuery({ ...apiQuery('GET /inbox/unread', unreadCall), enabled: user !== null })
  const waiting = useQuery({
    ...apiQuery('GET /change-requests/waiting', waitingCall),
    enabled: user !== null && can('change:approve'),
  })
  // what waits for an approval by the person is in the inbox too, until somebody has decided
  const unread = (data?.unread ?? 0) + (waiting.data?.count ?? 0)
  const count = unread > SHOWN_MAX ? `${SHOWN_MAX}+` : String(unread)
  const label = unread === 0 ? t('inbox.title') : t('inbox.unread', { count })
  return (
    <PlainLink
      to={paths.inbox()}
      className="relative flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
    >
      <Icon name={unread === 0 ? 'notifications' : 'notificationsOn'} size={16} />
      <span className="sr-only">{label}</span>
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="absolute top-0.5 right-0 rounded-full bg-accent px-1 text-[0.625rem]/4 font-semibold text-inverse tabular-nums"
        >
          {count}
        </span>
      )}
    </PlainLink>
  )
}
