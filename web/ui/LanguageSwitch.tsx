import { useStore } from '../external-store.ts'
import { LOCALES } from '../i18n/catalogue.ts'
import { changeLocale, localeState, subscribeToLocale } from '../i18n/locale.ts'
import { useText } from '../i18n/use-text.ts'
import { Segmented } from './Segmented.tsx'

export function LanguageSwitch() {
  const t = useText()
  const { locale } = useStore(subscribeToLocale, localeState)
  return (
    <Segmented
      label={t('shell.language.label')}
      value={locale}
      options={LOCALES.map((value) => ({ value, label: t(`shell.language.${value}`) }))}
      onChange={(value) => void changeLocale(value)}
    />
  )
}
