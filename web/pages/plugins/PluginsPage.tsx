import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function PluginsPage() {
  const t = useText()
  return <Page title={t('plugins.title')}>{null}</Page>
}
