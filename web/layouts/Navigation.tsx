import { useQuery } from '@tanstack/react-query'
import { useLocation, useRouterState } from '@tanstack/react-router'
import type { PagePath } from '#contract/console-api/pages/pages.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import { waitingCall } from '#contract/console-api/pages/change-requests.ts'
import { apiQuery } from '../api/query.ts'
import { scopeText } from '../subjects/scopes/scope-text.ts'
import { useStoredDrafts, useStoredOperationDrafts } from '../subjects/drafts/stored-drafts.ts'
import { useText, type PlainTextKey } from '../i18n/use-text.ts'
import { cx } from '../ui/class-names.ts'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { PlainLink } from '../ui/Link.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'

type Entry = {
  label: PlainTextKey
  icon: IconName
  to: Exclude<PagePath, `${string}$${string}`>
  /** Listed only for people who have this permission somewhere. */
  needs?: Permission
}

/** The pages of the main navigation and the command palette. */
export const navigation: readonly { group: PlainTextKey; entries: readonly Entry[] }[] = [
  {
    group: 'shell.nav.group.operate',
    entries: [
      { label: 'shell.nav.overview', icon: 'overview', to: '/' },
      { label: 'shell.nav.duty', icon: 'duty', to: '/duty' },
      { label: 'shell.nav.installations', icon: 'installations', to: '/installations' },
      { label: 'shell.nav.versions', icon: 'versions', to: '/versions' },
      { label: 'shell.nav.operations', icon: 'operations', to: '/operations' },
      { label: 'shell.nav.batches', icon: 'batches', to: '/batches' },
      { label: 'shell.nav.changes', icon: 'review', to: '/change-requests' },
      { label: 'shell.nav.scopes', icon: 'scopes', to: '/scopes' },
    ],
  },
  {
    group: 'shell.nav.group.platform',
    entries: [
      { label: 'shell.nav.catalog', icon: 'catalog', to: '/catalog' },
      { label: 'shell.nav.plugins', icon: 'plugins', to: '/plugins' },
      { label: 'shell.nav.services', icon: 'services', to: '/services' },
      {
        label: 'shell.nav.notifications',
        icon: 'notifications',
        to: '/notifications',
        needs: 'notification:write',
      },
      { label: 'shell.nav.freezes', icon: 'lock', to: '/freezes' },
      {
        label: 'shell.nav.serviceAccounts',
        icon: 'key',
        to: '/service-accounts',
        needs: 'account:write',
      },
    ],
  },
  {
    group: 'shell.nav.group.activity',
    entries: [{ label: 'shell.nav.audit', icon: 'audit', to: '/audit', needs: 'audit:read' }],
  },
]

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const t = useText()
  const { can, user } = useShell()
  const drafts = useStoredDrafts(user?.id)
  const edited = new Set(drafts.map(({ scope }) => scopeText(scope))).size
  const operationDrafts = useStoredOperationDrafts(user?.id)
  const waiting = useQuery({
    ...apiQuery('GET /change-requests/waiting', waitingCall),
    enabled: can('change:approve'),
  })
  const waitingForMe = waiting.data?.count ?? 0
  const marks: Partial<Record<PlainTextKey, { n: number; text: string; icon?: IconName }>> = {
    'shell.nav.changes': {
      n: waitingForMe,
      text: t('changes.waiting', { n: waitingForMe }),
      icon: 'waiting',
    },
    'shell.nav.scopes': { n: edited, text: t('shell.drafts.scopes', { n: edited }) },
    'shell.nav.installations': {
      n: operationDrafts.length,
      text: t('shell.drafts.operations', { n: operationDrafts.length }),
    },
  }
  // the page that is shown, which follows the address when it has loaded; none if only the frame matches
  const shown = useRouterState({ select: ({ matches: [, page] }) => page?.pathname ?? '' })
  const next = useLocation({ select: ({ pathname }) => pathname })
  const shownGroups = navigation
    .map(({ group, entries }) => ({
      group,
      entries: entries.filter(({ needs }) => needs === undefined || can(needs)),
    }))
    .filter(({ entries }) => entries.length > 0)
  return (
    <nav aria-label={t('shell.navigation')} className="flex-1 overflow-y-auto px-2 py-1">
      {shownGroups.map(({ group, entries }) => (
        <div key={group} className="mb-4">
          <p className="px-2 pb-1 text-xs font-medium tracking-wide text-faint">{t(group)}</p>
          <ul className="space-y-px">
            {entries.map(({ label, icon, to }) => {
              const mark = marks[label]
              const current = isWithin(shown, to)
              const isOpening = !current && isWithin(next, to)
              return (
                <li key={label}>
                  <PlainLink
                    to={{ to }}
                    {...(onNavigate && { onClick: onNavigate })}
                    aria-current={current ? 'page' : undefined}
                    className={cx(
                      'flex h-7.5 items-center gap-2.5 rounded-md px-2 font-medium transition-colors duration-75 -outline-offset-2 pointer-coarse:h-10',
                      current ? 'bg-selected text-ink' : 'text-muted hover:bg-selected/60 hover:text-ink',
                    )}
                  >
                    <Icon name={icon} className={current ? 'text-ink' : 'text-faint'} />
                    {t(label)}
                    {mark !== undefined && mark.n > 0 && (
                      <span className="ml-auto inline-flex items-center gap-1 text-xs text-accent tabular-nums">
                        <Icon name={mark.icon ?? 'edit'} size={12} />
                        <span aria-hidden="true">{mark.n}</span>
                        <span className="sr-only">{mark.text}</span>
                      </span>
                    )}
                    {isOpening && (
                      <Icon
                        name="running"
                        size={14}
                        className="ml-auto animate-appear text-faint [animation-delay:400ms]"
                      />
                    )}
                  </PlainLink>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** Whether a path is a page, or below it. */
const isWithin = (path: string, page: string): boolean =>
  page === '/' ? path === '/' : `${path}/`.startsWith(`${page}/`)
