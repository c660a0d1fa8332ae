import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function InstallationsPage() {
  const t = useText()
  return <Page title={t('installations.title')}>{null}</Page>
}
