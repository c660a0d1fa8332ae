import { useNavigate } from '@tanstack/react-router'
import { joinList } from '../i18n/punctuation.ts'
import { useText } from '../i18n/use-text.ts'
import { paths } from '../addresses/paths.ts'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { Popup, closePopup } from '../ui/Popup.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { roleName } from '../subjects/people/role-name.ts'
import { useShell } from '../subjects/shell/shell-context.ts'
import { setAlerts, useAlerts } from '../subjects/alerts/alerts.ts'
import { Switch } from '../ui/Checkbox.tsx'
import { LanguageSwitch } from '../ui/LanguageSwitch.tsx'
import { SegmentedControl } from '../ui/SegmentedControl.tsx'
import { setTheme, THEMES, useTheme, type Theme } from '../ui/theme.ts'

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
                roles.map((role) => roleName(role, t)),
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

/** The content of the user menu: theme, language, notifications, sign out. */
function UserMenuItems({ onSignOut }: { onSignOut: () => void }) {
  const t = useText()
  const alerts = useAlerts()
  const navigate = useNavigate()
  return (
    <>
      <div className="w-64 space-y-3 p-2">
        <div>
          <p className="mb-1 text-xs text-faint">{t('shell.theme.label')}</p>
          <ThemeSwitch />
        </div>
        <div>
          <p className="mb-1 text-xs text-faint">{t('shell.language.label')}</p>
          <LanguageSwitch />
        </div>
        <div>
          <Switch
            checked={alerts === 'on'}
            disabled={alerts === 'unavailable'}
            onChange={({ target }) => void setAlerts(target.checked)}
          >
            {t('shell.alerts.label')}
          </Switch>
          <p className="mt-1 text-xs text-faint">
            {t(alerts === 'unavailable' ? 'shell.alerts.unavailable' : 'shell.alerts.help')}
          </p>
        </div>
      </div>
      <div className="mt-1 border-t border-line pt-1">
        <button
          type="button"
          onClick={(event) => {
            closePopup(event.currentTarget)
            void navigate(paths.sessions())
          }}
          className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left -outline-offset-2 hover:bg-hover"
        >
          <Icon name="screen" size={14} className="text-muted" />
          {t('shell.user.sessions')}
        </button>
        <button
          type="button"
          onClick={(event) => {
            closePopup(event.currentTarget)
            onSignOut()
          }}
          className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left -outline-offset-2 hover:bg-hover"
        >
          <Icon name="signOut" size={14} className="text-muted" />
          {t('shell.user.signOut')}
        </button>
      </div>
    </>
  )
}

const ICON: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }

function ThemeSwitch() {
  const t = useText()
  const theme = useTheme()
  return (
    <SegmentedControl
      label={t('shell.theme.label')}
      value={theme}
      options={THEMES.map((value) => ({ value, label: t(`shell.theme.${value}`), icon: ICON[value] }))}
      onChange={setTheme}
    />
  )
}
