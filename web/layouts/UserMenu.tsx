import { joinList } from '../i18n/punctuation.ts'
import { useText, type Translate } from '../i18n/use-text.ts'
import { Icon } from '../ui/Icon.tsx'
import { Popup } from '../ui/Popup.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'
import { UserMenuItems } from './UserMenuItems.tsx'

export function UserMenu() {
  const t = useText()
  const { user, roles, signOut } = useShell()
  const name = user?.name ?? ''
  const label = t('shell.user.menu', { name })
  return (
    <Popup
      label={label}
      side="top-start"
      className="flex w-full"
      renderTrigger={(props) => (
        <button
          type="button"
          {...props}

          title={label}
          className="flex h-10 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left hover:bg-selected/60"
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-selected text-xs font-semibold text-muted"
          >
            {name.trim().slice(0, 1).toLocaleUpperCase() || <Icon name="person" size={12} />}
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate leading-4 font-medium">
              {user ? name : <Skeleton className="w-24" />}
            </span>
            <span className="block truncate text-xs text-faint">
              {joinList(
                t,
                roles.map((role) => roleText(role, t)),
              )}
            </span>
          </span>
          <Icon name="chevronDown" size={12} className="rotate-180 text-faint" />
        </button>
      )}
    >
      <UserMenuItems onSignOut={signOut} />
    </Popup>
  )
}

const ROLES = ['viewer', 'operator', 'support', 'admin'] as const

/** The name of a role; an unknown role is shown unchanged. */
function roleText(role: string, t: Translate): string {
  const known = ROLES.find((name) => name === role)
  return known ? t(`vocabulary.role.${known}`) : role
}
