import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { Id, Mono } from '../../../ui/Id.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { Nothing } from '../../../ui/Nothing.tsx'
import { Time } from '../../../ui/Time.tsx'
import { UpgradeLink } from './UpgradeLink.tsx'

export function Identity({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const { installation, version, updatedAt, snapshotVersion } = detail
  const { bundle, bundleInstallId } = installation
  return (
    <Card className="mb-6">
      <DefinitionList
        layout="columns"
        className="sm:grid-cols-3! xl:flex! xl:justify-between"
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
                </span>
              ),
          },
          { label: t('installations.fact.changed'), value: <Time at={updatedAt} /> },
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
          { label: t('installations.fact.id'), value: <Id id={bundleInstallId} full copy />, wide: true },
        ]}
      />
    </Card>
  )
}
