import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../paths.ts'

export function InstallPage() {
  const t = useText()
  return (
    <Page
      title={t('vocabulary.type.INSTALL')}
      trail={[{ label: t('installations.title'), to: paths.installations() }]}
    >
      {null}
    </Page>
  )
}
