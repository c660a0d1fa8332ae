import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'
import { Segments } from '../../ui/Id.tsx'

const route = getRouteApi('/scopes/$env/$runtime/$workspace/configuration')

export function ConfigurationPage() {
  const t = useText()
  const { env, runtime, workspace } = route.useParams()
  return (
    <Page
      title={t('configuration.title')}
      trail={[{ label: t('shell.nav.scopes'), to: paths.scopes() }]}
      meta={<Segments parts={[env, runtime, workspace]} />}
    >
      {null}
    </Page>
  )
}
