import { useSyncExternalStore } from 'react'
import { LANGUAGE_NAMES, LANGUAGES } from '#contract/protocol/languages.ts'
import { changeLocale, localeState, subscribeToLocale } from '../i18n/locale.ts'
import { useText } from '../i18n/use-text.ts'
import { SegmentedControl } from './SegmentedControl.tsx'

export function LanguageSwitch() {
  const t = useText()
  const { language } = useSyncExternalStore(subscribeToLocale, localeState)
  return (
    <SegmentedControl
      label={t('shell.language.label')}
      value={language}
      options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      onChange={(value) => void changeLocale(value)}
    />
  )
}
