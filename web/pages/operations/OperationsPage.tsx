import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function OperationsPage() {
  const t = useText()
  return <Page title={t('operations.title')}>{null}</Page>
}
