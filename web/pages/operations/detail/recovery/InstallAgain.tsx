import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../../api/session.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { Button } from '../../../../ui/Button.tsx'
import { LinkButton } from '../../../../ui/Link.tsx'

/** After a DETACH, a link to the form that installs the bundle again with its last configuration. */
export function InstallAgain({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { environmentKey, applicationRuntimeId, workspaceId, bundle, bundleInstallId } =
    operation.installation
  const mayInstall = useMay('installation:install', operation.installation)
  if (operation.operationType !== 'DETACH' || operation.state !== 'SUCCEEDED') return null
  const to = paths.installationNew({
    environmentKey,
    applicationRuntimeId,
    workspaceId,
    bundleEnvironmentKey: bundle.environmentKey,
    bundleId: bundle.bundleId,
    version: operation.targetVersion,
    copyFrom: bundleInstallId,
  })
  if (!mayInstall) {
    return (
      <Button icon="retry" disabledReason={t('operations.action.install.permission')}>
        {t('operations.action.install')}
      </Button>
    )
  }
  return (
    <LinkButton to={to} icon="retry">
      {t('operations.action.install')}
    </LinkButton>
  )
}
