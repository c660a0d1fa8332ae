import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo } from 'react'
import { installationCall, referencesCall } from '#contract/console-api/pages/installations.ts'
import type { InstallationDetail, InstalledReference } from '#contract/console-api/shapes.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import { lazyPart } from '../../../base/lazy-part.ts'
import { apiQuery } from '../../../api/query.ts'
import { QueryTable } from '../../../ui/table/QueryTable.tsx'
import { PropertyPlaceText, ServiceLink } from '../../../subjects/references/PropertyPlace.tsx'
import { ReferenceResult } from '../../../subjects/references/ReferenceResult.tsx'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { PlainLink } from '../../../ui/Link.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import type { Column } from '../../../ui/table/column.ts'

const Dependencies = lazyPart(
  async () => (await import('../../../subjects/dependencies/Dependencies.tsx')).Dependencies,
)

/** What is reached if the installation stops, and what it refers to, with the result of each test. */
export function References({ installation, title }: Pick<InstallationDetail, 'installation' | 'title'>) {
  const t = useText()
  const { bundleInstallId } = installation
  const to = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}/references', referencesCall(bundleInstallId)),
    select: ({ items }) => ({ items, nextCursor: null }),
  })
  const dependencies = useQuery(
    apiQuery('GET /installations/{bundleInstallId}/dependencies', installationCall(bundleInstallId)),
  )
  const toColumns = useMemo(() => referenceColumns(t, installation), [t, installation])
  return (
    <div className="space-y-7">
      <Suspense fallback={<SkeletonLines lines={6} />}>
        <Dependencies of="installation" title={title ?? installation.bundle.bundleId} query={dependencies} />
      </Suspense>
      <Section title={t('references.to.title')} description={t('references.to.about')} flush>
        <QueryTable
          label={t('references.to.title')}
          query={to}
          columns={toColumns}
          rowKey={referenceKey}
          skeletonRows={3}
          empty={<EmptyState icon="services" title={t('references.to.none')} />}
        />
      </Section>
    </div>
  )
}

const referenceKey = ({ locator, property }: InstalledReference) => `${locator} ${property}`

const referenceColumns = (t: Translate, installation: InstallationIdentity): Column<InstalledReference>[] => [
  {
    id: 'property',
    header: t('references.column.property'),
    cell: (reference) => <PropertyPlaceText {...reference} installation={installation} />,
    width: '34%',
  },
  {
    id: 'services',
    header: t('references.column.services'),
    cell: ({ services }) => (
      <ul className="py-1.5">
        {services.map(({ serviceId, title, owner }) => (
          <li key={serviceId} className="flex flex-wrap items-baseline gap-x-2">
            <ServiceLink serviceId={serviceId} title={title} />
            {owner !== null && (
              <PlainLink
                to={paths.installation(owner.bundleInstallId)}
                className="target rounded-sm text-xs text-muted hover:underline"
              >
                {t('references.owner', { bundle: owner.bundle.bundleId })}
              </PlainLink>
            )}
          </li>
        ))}
      </ul>
    ),
    width: '26%',
    card: 'wide',
  },
  {
    id: 'result',
    header: t('references.column.result'),
    cell: (reference) => (
      <div className="py-1.5">
        <ReferenceResult reference={reference} />
      </div>
    ),
    card: 'wide',
  },
]
