import { useQuery } from '@tanstack/react-query'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useMay } from '../../../../api/session.ts'
import { joinList, joinSentences } from '../../../../i18n/punctuation.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { Button } from '../../../../ui/Button.tsx'
import { isForSupport, retryHelpsOf } from '../../../../subjects/operations/describe-failure.ts'
import { recoveryAvailability, type RecoveryAction } from './recovery.ts'
import { nextCalls, type CallTimeline } from '../calls/timeline.ts'
import { paths } from '../../../../addresses/paths.ts'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { LinkButton } from '../../../../ui/Link.tsx'

/** The two actions that recover a failed operation. An unavailable action says why. */
export function RecoveryActions({
  operation,
  timeline,
  layout,
  onChoose,
}: {
  operation: OperationDetail
  timeline: CallTimeline
  /** `explained` is for the failure panel, `bar` for the page header, `retry` for that of a phone: only the retry. */
  layout: 'explained' | 'bar' | 'retry'
  onChoose: (action: RecoveryAction) => void
}) {
  const t = useText()
  const retry = recoveryAvailability('retry', operation, useMay('operation:retry', operation.installation))
  const takeover = recoveryAvailability(
    'takeover',
    operation,
    useMay('operation:takeover', operation.installation),
  )
  const gate = useGate(layout === 'explained' ? operation.installation : null, operation.operationType, true)
  const plugins = nextCalls(timeline, operation).map(({ pluginId }) => pluginId)
  const helps = retryHelpsOf(operation)
  const { action } = operation.nextStep
  const isLater = operation.failure?.retryFrom !== undefined
  const isAdvised = helps === 'YES' && isForSupport(operation) && !isLater && gate.notice === null

  const retryButton = (
    <Button
      icon="retry"
      variant={layout !== 'bar' && isAdvised ? 'primary' : 'secondary'}
      disabledReason={retry.isAvailable ? null : t(retry.reason)}
      onClick={() => onChoose('retry')}
    >
      {t('operations.action.retry')}
    </Button>
  )
  const takeoverButton = (
    <Button
      icon="takenOver"
      variant="dangerQuiet"
      disabledReason={takeover.isAvailable ? null : t(takeover.reason)}
      onClick={() => onChoose('takeover')}
    >
      {t('operations.action.takeover')}
    </Button>
  )
  if (layout === 'retry') return retryButton
  if (layout === 'bar') {
    return (
      <>
        {retryButton}
        {takeoverButton}
      </>
    )
  }
  const begins =
    plugins.length > 0
      ? t('operations.action.retry.about', { plugins: joinList(t, plugins) })
      : t('operations.action.retry.aboutRuntime', { stage: t(`vocabulary.phase.${operation.phase}`) })
  return (
    <div className="space-y-4">
      <h3 className="text-xs font-medium text-muted">{t('operations.action.title')}</h3>
      {gate.notice}
      <div>
        {retryButton}
        <p className="mt-1.5 text-xs text-muted">
          {retry.isAvailable
            ? joinSentences(t, [
                begins,
                helps === 'YES' && isLater && t('operations.action.retry.later'),
                helps === 'YES' &&
                  !isLater &&
                  !isAdvised &&
                  t(`operations.action.retry.${action === 'CHECK_RESULT' ? 'ifKnown' : 'ifPassed'}`),
                helps === 'AFTER_CHANGE' &&
                  t(
                    action === 'CHECK_VERSION'
                      ? 'operations.action.retry.recalled'
                      : 'operations.action.retry.fixFirst',
                  ),
                helps === 'NEVER' && t('operations.action.retry.never'),
              ])
            : t(retry.reason)}
        </p>
      </div>
      <div>
        {takeoverButton}
        <p className="mt-1.5 text-xs text-muted">
          {takeover.isAvailable
            ? t(
                operation.operationType === 'DETACH'
                  ? 'operations.action.takeover.aboutDetach'
                  : 'operations.action.takeover.about',
              )
            : t(takeover.reason)}
        </p>
      </div>
      <p className="text-xs text-faint">{t('operations.failed.lock')}</p>
    </div>
  )
}

/** Once the installation is detached, a link to the form that installs the bundle again with its last configuration. */
export function InstallAgain({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { environmentKey, applicationRuntimeId, workspaceId, bundle, bundleInstallId } =
    operation.installation
  const mayInstall = useMay('installation:install', operation.installation)
  const { data } = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}', { params: { bundleInstallId } }),
    enabled: operation.state === 'TAKEN_OVER',
  })
  // a scope has a bundle once
  const isReplaced = data?.successor != null && data.successor.state !== 'DETACHED'
  const isDetached =
    operation.state === 'TAKEN_OVER'
      ? data?.state === 'DETACHED' && !isReplaced
      : operation.operationType === 'DETACH' && operation.state === 'SUCCEEDED'
  if (!isDetached) return null
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
