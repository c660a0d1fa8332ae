import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { propertySearchCall } from '#contract/console-api/pages/properties.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { InstalledProperty } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'

const route = getRouteApi('/properties')

/** Finds a property by its title or name, to see it in every installation. */
export function PropertySearch() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const call = propertySearchCall(search)
  const query = useQuery({
    ...apiQuery('GET /installed-properties', call ?? { query: { q: '' } }),
    enabled: call !== null,
    placeholderData: keepPreviousData,
  })
  const error = useErrorView(query.error)
  const found = call === null || query.data === undefined ? null : distinct(query.data.items)
  return (
    <Page title={t('properties.title')} lead={t('properties.about')}>
      <div className="mb-3">
        <SearchInput
          label={t('properties.search')}
          value={search.q ?? ''}
          onSearch={(q) => void navigate({ search: omitUndefined({ q: q || undefined }), replace: true })}
        />
      </div>
      {call === null ? (
        <EmptyState
          icon="search"
          title={t('properties.start.title')}
          message={t('properties.start.message')}
        />
      ) : found === null ? (
        error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonLines lines={5} />
        )
      ) : found.length === 0 ? (
        <EmptyState icon="search" title={t('properties.none.title')} message={t('properties.none.message')} />
      ) : (
        <Card padded={false}>
          <ul aria-label={t('properties.found')} className="divide-y divide-line">
            {found.map(({ locator, property, title, resourceTitle }) => (
              <li key={`${locator} ${property}`}>
                <PlainLink
                  to={paths.property(locator, property)}
                  className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-2 hover:bg-hover"
                >
                  <Icon name="edit" size={14} className="text-muted" />
                  <span className="font-medium">{title}</span>
                  <span className="text-muted">{resourceTitle}</span>
                  <span className="mono ml-auto text-faint">{`${locator.split('/')[1]}/${property}`}</span>
                </PlainLink>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  )
}

/** The search names a few installations of each property. */
const distinct = (items: readonly InstalledProperty[]): InstalledProperty[] => [
  ...new Map(
    items.map((item) => [`${item.locator.split('/').slice(1).join('/')} ${item.property}`, item]),
  ).values(),
]
