import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'

const route = getRouteApi('/plugins/$id')

export function PluginPage() {
  const t = useText()
  const { id } = route.useParams()
  return (
    <Page title={id} trail={[{ label: t('plugins.title'), to: paths.plugins() }]}>
      {null}
    </Page>
  )
}
