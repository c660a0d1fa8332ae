import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LinkButton } from '../../ui/Link.tsx'

export function NotFoundPage() {
  const t = useText()
  return (
    <Page title={t('shell.notFound.title')}>
      <EmptyState
        icon="search"
        title={t('shell.notFound.message')}
        action={<LinkButton to={paths.overview()}>{t('shell.notFound.home')}</LinkButton>}
      />
    </Page>
  )
}
