import { useQuery } from '@tanstack/react-query'
import { recentOperationsCall } from '#contract/console-api/pages/operations.ts'
import type { InstallationDetail, Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { operationTypeKey } from '../../../subjects/operations/operation-texts.ts'
import { Card } from '../../../ui/Card.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { Id, Mono } from '../../../ui/Id.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { Nothing } from '../../../ui/Nothing.tsx'
import { OperationBadge } from '../../../ui/StateBadge.tsx'
import { Time } from '../../../ui/Time.tsx'
import { UpgradeLink } from './UpgradeLink.tsx'

export function Identity({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const { installation, version, updatedAt, snapshotVersion } = detail
  const { bundle, bundleInstallId } = installation
  const last = useQuery(apiQuery('GET /operations', recentOperationsCall({ bundleInstallId }))).data?.items[0]
  return (
    <Card className="mb-6">
      <DefinitionList
        layout="facts"
        items={[
          {
            label: t('installations.fact.bundle'),
            value: (
              <span className="mono">
                <span className="text-muted">{bundle.environmentKey}/</span>
                {/* a narrow column breaks here rather than within the name */}
                <wbr />
                {bundle.bundleId}
              </span>
            ),
          },
          {
            label: t('installations.fact.version'),
            value:
              version === null ? (
                <Nothing />
              ) : (
                <span className="flex flex-wrap items-center gap-x-3">
                  <TextLink
                    to={paths.bundleVersion({ env: bundle.environmentKey, bundle: bundle.bundleId, version })}
                  >
                    <Mono>{version}</Mono>
                  </TextLink>
                  <UpgradeLink row={detail} />
                  {detail.standing && (
                    <span className="inline-flex items-center gap-1 text-xs font-medium text-doubt wrap-anywhere">
                      <Icon name="warning" size={12} />
                      {t(`catalog.standing.${detail.standing.kind}.because`, {
                        text: detail.standing.message,
                      })}
                    </span>
                  )}
                </span>
              ),
          },
          {
            label: t('installations.fact.lastOperation'),
            value: last === undefined ? <Time at={updatedAt} /> : <LastOperation operation={last} />,
          },
          { label: t('installations.fact.id'), value: <Id id={bundleInstallId} full copy />, wide: true },
          {
            label: t('installations.fact.configuration'),
            value: (
              <PlainLink
                to={paths.configuration(installation, { tab: 'history' })}
                className="target rounded-sm hover:underline"
              >
                {t('installations.fact.snapshot', { version: String(snapshotVersion) })}
              </PlainLink>
            ),
          },
        ]}
      />
    </Card>
  )
}

function LastOperation({ operation }: { operation: Operation }) {
  const t = useText()
  const { operationId, state, createdAt } = operation
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <TextLink to={paths.operation(operationId)}>{t(operationTypeKey(operation))}</TextLink>
      <OperationBadge state={state} />
      <Time at={createdAt} className="text-muted" />
    </span>
  )
}
