import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

export function Forbidden() {
  const t = useText()
  return (
    <Page title={t('notifications.title')}>
      <Card padded={false}>
        <EmptyState
          icon="lock"
          title={t('notifications.forbidden.title')}
          message={t('notifications.forbidden.message')}
        />
      </Card>
    </Page>
  )
}
