import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { causeHoursCall } from '#contract/console-api/pages/causes.ts'
import { pluginsCall } from '#contract/console-api/pages/plugins.ts'
import type { Plugin, PluginFailures } from '#contract/console-api/shapes.ts'
import { FAILING_PLUGINS_MAX } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { formatDuration, formatNumber } from '../../i18n/format.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { useResumedDialog } from '../../subjects/sign-in/interrupted-action.ts'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { CheckBadge } from './reports/CheckBadge.tsx'
import { setLimits, validCredentials, type Limit } from './plugin-limits.ts'
import { PluginDialog } from './PluginDialog.tsx'
import { PLUGIN_POLICIES_PAGE, PluginPolicies } from './reports/PluginPolicies.tsx'
import { PluginBadge } from './Retirement.tsx'

const route = getRouteApi('/plugins')

export function PluginsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [registering, setRegistering] = useState(false)
  const policies = useResumedDialog(PLUGIN_POLICIES_PAGE)
  const query = useQuery({
    ...apiQuery('GET /plugins', pluginsCall(search)),
    placeholderData: keepPreviousData,
  })
  const failures = useQuery(apiQuery('GET /causes/hours', causeHoursCall({}))).data?.plugins
  const columns = useMemo(() => pluginColumns(t, failures), [t, failures])
  const may = useMay('plugin:write', 'everywhere')
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('plugins.title')}
      actions={
        <>
          <Button icon="verified" onClick={policies.open}>
            {t('plugins.policies')}
          </Button>
          <Button
            variant="primary"
            icon="plus"
            disabledReason={!may && t('plugins.reason.permission')}
            onClick={() => setRegistering(true)}
          >
            {t('plugins.register')}
          </Button>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar>
          <SearchInput
            label={t('plugins.search')}
            value={search.q ?? ''}
            onSearch={(q) => void navigate({ search: omitUndefined({ q: q || undefined }), replace: true })}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('plugins.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        lines={2}
        cursor={search.cursor}
        pageLink={(cursor) => paths.plugins(omitUndefined({ ...search, cursor }))}
        onClear={search.q !== undefined && clear}
        skeletonRows={4}
        empty={
          <EmptyState icon="plugins" title={t('plugins.empty.title')} message={t('plugins.empty.message')} />
        }
      />
      {policies.dialog && <PluginPolicies may={may} {...policies.dialog} onClose={policies.close} />}
      {registering && <PluginDialog plugin={null} onClose={() => setRegistering(false)} />}
    </Page>
  )
}

const rowKey = ({ pluginId }: Plugin) => pluginId
const rowLink = ({ pluginId }: Plugin) => paths.plugin(pluginId)

const pluginColumns = (t: Translate, failures: readonly PluginFailures[] | undefined): Column<Plugin>[] => [
  {
    id: 'plugin',
    header: t('plugins.column.plugin'),
    cell: ({ title, pluginId }) => (
      <>
        <span className="block truncate">{title}</span>
        <span className="mono block truncate text-xs font-normal text-faint">{pluginId}</span>
      </>
    ),
    width: 'max(13rem, 26cqi)',
  },
  {
    id: 'endpoint',
    header: t('plugins.column.endpoint'),
    cell: ({ endpoint }) => (
      <Mono className="line-clamp-2 text-xs whitespace-normal text-muted">{endpoint}</Mono>
    ),
    card: 'line',
    hideBelow: 'lg',
  },
  {
    id: 'enabled',
    header: t('plugins.column.enabled'),
    cell: (plugin) => <PluginBadge plugin={plugin} />,
    width: '8rem',
    card: 'plain',
  },
  {
    id: 'failures',
    header: t('plugins.column.failures'),
    cell: ({ pluginId }) => <Failures count={failedOf(pluginId, failures)} />,
    align: 'end',
    width: '7rem',
  },
  {
    id: 'check',
    header: t('plugins.column.check'),
    cell: ({ check }) => <CheckBadge check={check} />,
    width: '8rem',
  },
  {
    id: 'limits',
    header: t('plugins.column.limits'),
    cell: (plugin) => {
      const limits = setLimits(plugin)
      return limits.length === 0 ? (
        <span className="text-faint">{t('plugins.limits.default')}</span>
      ) : (
        limits.map((limit) => limitText(limit, plugin[limit] ?? 0, t)).join(' · ')
      )
    },
    width: '11.5rem',
    hideBelow: 'xl',
  },
  {
    id: 'credentials',
    header: t('plugins.column.credentials'),
    cell: (plugin) => validCredentials(plugin),
    align: 'end',
    width: '8.5rem',
    hideBelow: 'md',
  },
]

/** Null if it is not known: the response has the plugins with most failures only. */
function failedOf(pluginId: string, failures: readonly PluginFailures[] | undefined): number | null {
  const found = failures?.find((one) => one.pluginId === pluginId)
  if (found !== undefined) return found.hours.reduce((sum, count) => sum + count, 0)
  return failures !== undefined && failures.length < FAILING_PLUGINS_MAX ? 0 : null
}

function Failures({ count }: { count: number | null }) {
  if (count === null) return <Nothing />
  return <span className={count === 0 ? 'text-faint' : 'font-medium text-fail'}>{formatNumber(count)}</span>
}

const limitText = (limit: Limit, value: number, t: Translate): string =>
  limit === 'maxAttempts'
    ? t('plugins.limits.maxAttempts', { n: value })
    : t(`plugins.limits.${limit}`, { time: formatDuration(value, t) })
