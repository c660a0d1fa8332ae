import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'

const route = getRouteApi('/catalog/$env/$bundle/$version')

export function BundleVersionPage() {
  const t = useText()
  const { bundle, version } = route.useParams()
  return (
    <Page title={`${bundle} ${version}`} trail={[{ label: t('catalog.title'), to: paths.catalog() }]}>
      {null}
    </Page>
  )
}
