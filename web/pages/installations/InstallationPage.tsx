import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'

const route = getRouteApi('/installations/$id')

export function InstallationPage() {
  const t = useText()
  const { id } = route.useParams()
  return (
    <Page title={id} trail={[{ label: t('installations.title'), to: paths.installations() }]}>
      {null}
    </Page>
  )
}
