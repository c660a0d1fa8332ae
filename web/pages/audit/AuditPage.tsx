import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'

export function AuditPage() {
  const t = useText()
  return <Page title={t('audit.title')}>{null}</Page>
}
