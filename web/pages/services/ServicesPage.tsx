import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function ServicesPage() {
  const t = useText()
  return <Page title={t('services.title')}>{null}</Page>
}
