import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function ScopesPage() {
  const t = useText()
  return <Page title={t('configuration.title')}>{null}</Page>
}
