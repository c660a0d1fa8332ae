import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { referrersCall } from '#contract/console-api/pages/services.ts'
import type { Referrer } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { BundleName } from '../../subjects/manifest/BundleName.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { PropertyPlaceText } from '../../subjects/references/PropertyPlace.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import type { Column } from '../../ui/table/column.ts'

/** The properties of installed resources that refer to the service; each links to its place in the configuration. */
export function Referrers({ serviceId }: { serviceId: string }) {
  const t = useText()
  const columns = useMemo(() => referrerColumns(t), [t])
  const query = useQuery(apiQuery('GET /services/{serviceId}/referrers', referrersCall(serviceId)))
  return (
    <QueryTable
      label={t('services.referrers')}
      query={query}
      columns={columns}
      rowKey={rowKey}
      skeletonRows={3}
      empty={
        <EmptyState
          icon="services"
          title={t('services.referrers.none.title')}
          message={t('services.referrers.none.message')}
        />
      }
    />
  )
}

const rowKey = ({ installation, locator, property }: Referrer) =>
  `${installation.bundleInstallId} ${locator} ${property}`

const referrerColumns = (t: Translate): Column<Referrer>[] => [
  {
    id: 'installation',
    header: t('services.referrers.installation'),
    cell: ({ installation, installationTitle }) => (
      <PlainLink
        to={paths.installation(installation.bundleInstallId)}
        className="target rounded-sm font-medium hover:underline"
      >
        <BundleName title={installationTitle} bundle={installation.bundle} />
      </PlainLink>
    ),
    width: '22%',
  },
  {
    id: 'scope',
    header: t('services.referrers.scope'),
    cell: ({ installation }) => <ScopeText scope={installation} />,
    width: '24%',
    card: 'wide',
  },
  {
    id: 'property',
    header: t('services.referrers.property'),
    cell: (referrer) => <PropertyPlaceText {...referrer} />,
    card: 'wide',
  },
]
