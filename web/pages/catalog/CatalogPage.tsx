import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function CatalogPage() {
  const t = useText()
  return <Page title={t('catalog.title')}>{null}</Page>
}
