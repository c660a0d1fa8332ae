import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { installationReferrersCall, referencesCall } from '#contract/console-api/pages/installations.ts'
import type { InstallationDetail, InstalledReference, Referrer } from '#contract/console-api/shapes.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { BundleName } from '../../../subjects/manifest/BundleName.tsx'
import { QueryTable } from '../../../ui/table/QueryTable.tsx'
import { PropertyPlaceText, ServiceLink } from '../../../subjects/references/PropertyPlace.tsx'
import { ReferenceResult } from '../../../subjects/references/ReferenceResult.tsx'
import { ScopeText } from '../../../subjects/scopes/ScopeText.tsx'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { PlainLink } from '../../../ui/Link.tsx'
import type { Column } from '../../../ui/table/column.ts'

/** What the installation refers to, with the result of each test, and what refers to its services. */
export function References({ installation }: Pick<InstallationDetail, 'installation'>) {
  const t = useText()
  const { bundleInstallId } = installation
  const to = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}/references', referencesCall(bundleInstallId)),
    select: ({ items }) => ({ items, nextCursor: null }),
  })
  const from = useQuery(
    apiQuery('GET /installations/{bundleInstallId}/referrers', installationReferrersCall(bundleInstallId)),
  )
  const toColumns = useMemo(() => referenceColumns(t, installation), [t, installation])
  const fromColumns = useMemo(() => referrerColumns(t), [t])
  return (
    <div className="space-y-7">
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
      <Section title={t('references.from.title')} description={t('references.from.about')} flush>
        <QueryTable
          label={t('references.from.title')}
          query={from}
          columns={fromColumns}
          rowKey={referrerKey}
          skeletonRows={3}
          empty={<EmptyState icon="services" title={t('references.from.none')} />}
        />
      </Section>
    </div>
  )
}

const referenceKey = ({ locator, property }: InstalledReference) => `${locator} ${property}`
const referrerKey = ({ installation, locator, property, serviceId }: Referrer) =>
  `${installation.bundleInstallId} ${locator} ${property} ${serviceId}`

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

const referrerColumns = (t: Translate): Column<Referrer>[] => [
  {
    id: 'installation',
    header: t('references.column.installation'),
    cell: ({ installation, installationTitle }) => (
      <PlainLink
        to={paths.installation(installation.bundleInstallId)}
        className="target rounded-sm font-medium hover:underline"
      >
        <BundleName title={installationTitle} bundle={installation.bundle} />
      </PlainLink>
    ),
    width: '20%',
  },
  {
    id: 'scope',
    header: t('references.column.scope'),
    cell: ({ installation }) => <ScopeText scope={installation} />,
    width: '22%',
    card: 'wide',
  },
  {
    id: 'property',
    header: t('references.column.property'),
    cell: (referrer) => <PropertyPlaceText {...referrer} />,
    card: 'wide',
  },
  {
    id: 'service',
    header: t('references.column.service'),
    cell: ({ serviceId, serviceTitle }) => <ServiceLink serviceId={serviceId} title={serviceTitle} />,
    width: '20%',
  },
]
