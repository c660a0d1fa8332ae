import { setAlerts, useAlerts } from '../subjects/alerts/failure-alerts.ts'
import { useText } from '../i18n/use-text.ts'
import { Switch } from '../ui/Checkbox.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LanguageSwitch } from '../ui/LanguageSwitch.tsx'
import { closePopup } from '../ui/Popup.tsx'
import { ThemeSwitch } from '../ui/ThemeSwitch.tsx'

/** The content of the user menu: theme, language, notifications, sign out. */
export function UserMenuItems({ onSignOut }: { onSignOut: () => void }) {
  const t = useText()
  const alerts = useAlerts()
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
