import { useText } from '../i18n/use-text.ts'
import type { IconName } from './Icon.tsx'
import { Segmented } from './Segmented.tsx'
import { setTheme, THEMES, useTheme, type Theme } from './theme.ts'

const ICON: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }

export function ThemeSwitch() {
  const t = useText()
  const theme = useTheme()
  return (
    <Segmented
      label={t('shell.theme.label')}
      value={theme}
      options={THEMES.map((value) => ({ value, label: t(`shell.theme.${value}`), icon: ICON[value] }))}
      onChange={setTheme}
    />
  )
}
