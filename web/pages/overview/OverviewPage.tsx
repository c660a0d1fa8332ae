import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function OverviewPage() {
  const t = useText()
  return <Page title={t('overview.title')}>{null}</Page>
}
