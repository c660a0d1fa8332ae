import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { apiQuery } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { useKnownPeople } from '../../subjects/people/use-known-people.ts'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { AuditList } from './AuditList.tsx'
import { auditCall, type AuditSearch } from '#contract/console-api/pages/audit.ts'

const route = getRouteApi('/audit')

/** Who did what, when and why, and what changed. */
export function AuditPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const session = useSession()
  const may = useMay('audit:read', 'anywhere')
  // the query of the list
  const entries = useQuery({ ...apiQuery('GET /audit', auditCall(search)), enabled: false })
  const people = useKnownPeople(entries.data?.items.map(({ actor: { id, name } }) => ({ id, name })) ?? [])
  const { cursor: _, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<AuditSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, ...next }), replace: true, state: true })
  const clear = () => void navigate({ search: {} })
  if (session.data && !may) {
    return (
      <Page title={t('audit.title')}>
        <Card padded={false}>
          <EmptyState icon="lock" title={t('audit.forbidden.title')} message={t('audit.forbidden.message')} />
        </Card>
      </Page>
    )
  }
  return (
    <Page title={t('audit.title')}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <AuditFilters search={search} people={people} onChange={change} onClear={isFiltered && clear} />
        <ViewsMenu page="audit" search={search} />
      </div>
      <AuditList search={search} enabled={may} onClear={isFiltered && clear} />
    </Page>
  )
}
