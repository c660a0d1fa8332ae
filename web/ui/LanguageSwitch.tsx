import { useStore } from '../base/external-store.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '#contract/protocol/languages.ts'
import { changeLocale, localeState, subscribeToLocale } from '../i18n/locale.ts'
import { useText } from '../i18n/use-text.ts'
import { Segmented } from './Segmented.tsx'

export function LanguageSwitch() {
  const t = useText()
  const { language } = useStore(subscribeToLocale, localeState)
  return (
    <Segmented
      label={t('shell.language.label')}
      value={language}
      options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      onChange={(value) => void changeLocale(value)}
    />
  )
}
