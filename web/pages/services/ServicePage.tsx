import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'

const route = getRouteApi('/services/$id')

export function ServicePage() {
  const t = useText()
  const { id } = route.useParams()
  return (
    <Page title={id} trail={[{ label: t('services.title'), to: paths.services() }]}>
      {null}
    </Page>
  )
}
