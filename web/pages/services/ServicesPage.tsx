import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { servicesCall, servicesSearch, type ServicesSearch } from '#contract/console-api/pages/services.ts'
import type { Service } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { EnabledBadge } from '../../ui/StateBadge.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'

/** With the forms, which the list does without. */
const ServiceDialog = lazyPart(async () => (await import('./ServiceDialog.tsx')).ServiceDialog)

const route = getRouteApi('/services')

export function ServicesPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [registering, setRegistering] = useState(false)
  const scope = useScopeFilter(search)
  const query = useQuery({
    ...apiQuery('GET /services', servicesCall(search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => serviceColumns(t), [t])
  const may = useMay('service:write', 'everywhere')
  const { cursor, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<ServicesSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, ...next }), replace: true })
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('services.title')}
      actions={
        <Button
          variant="primary"
          icon="plus"
          disabledReason={!may && t('services.reason.permission')}
          {...ServiceDialog.onIntent}
          onClick={() => setRegistering(true)}
        >
          {t('services.register')}
        </Button>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar onClear={isFiltered && clear}>
          <SearchInput
            label={t('services.search')}
            value={search.q ?? ''}
            onSearch={(q) => change({ q: q || undefined })}
          />
          <TextFilters
            label={t('services.scope.filter')}
            onOpen={scope.ask}
            onChange={(values) => change({ ...values, ...servicesSearch(values) })}
            filters={scope.filters}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('services.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        lines={2}
        cursor={cursor}
        pageLink={(at) => paths.services(omitUndefined({ ...search, cursor: at }))}
        onClear={isFiltered && clear}
        empty={
          <EmptyState
            icon="services"
            title={t('services.empty.title')}
            message={t('services.empty.message')}
          />
        }
      />
      {registering && (
        <Suspense>
          <ServiceDialog service={null} onClose={() => setRegistering(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const rowKey = ({ serviceId }: Service) => serviceId
const rowLink = ({ serviceId }: Service) => paths.service(serviceId)

/** The bundle and the Module, without what is the same for nearly all. */
function ownerName(locator: string): string {
  const [, bundleId, , name] = locator.split('/')
  return `${bundleId}/${name}`
}

const serviceColumns = (t: Translate): Column<Service>[] => [
  {
    id: 'service',
    header: t('services.column.service'),
    cell: ({ title, serviceId }) => (
      <>
        <span className="block truncate">{title}</span>
        <span className="mono block truncate text-xs font-normal text-faint">{serviceId}</span>
      </>
    ),
    width: 'clamp(15rem, 24cqi, 18rem)',
  },
  {
    id: 'address',
    header: t('services.column.address'),
    cell: ({ url }) => (
      <Mono className="line-clamp-2 text-xs wrap-anywhere whitespace-normal text-muted">{url}</Mono>
    ),
    // two lines of a narrow column would end before what tells the addresses apart
    hideBelow: 'md',
    card: 'line',
  },
  {
    id: 'owner',
    header: t('services.column.owner'),
    cell: ({ owner }) =>
      owner === null ? (
        <Nothing />
      ) : (
        <Mono className="line-clamp-2 text-xs wrap-anywhere whitespace-normal text-muted">
          {ownerName(owner.locator)}
        </Mono>
      ),
    width: '17%',
    hideBelow: 'lg',
    card: 'wide',
  },
  {
    id: 'consumers',
    header: t('services.column.consumers'),
    cell: (service) => <span className="text-muted">{consumersText(service, t)}</span>,
    width: '10rem',
  },
  {
    id: 'state',
    header: t('services.column.state'),
    cell: ({ enabled }) => (
      <EnabledBadge
        enabled={enabled}
        word={t(enabled ? 'services.enabled' : 'services.disabled')}
        meaning={t(enabled ? 'services.enabled.meaning' : 'services.disabled.meaning')}
      />
    ),
    width: '7rem',
    card: 'plain',
  },
]

function consumersText({ consumers, owner }: Service, t: Translate): string {
  if (consumers.length > 0) return t('services.consumers.count', { n: consumers.length })
  return t(owner === null ? 'services.consumers.nobody' : 'services.consumers.owner')
}
