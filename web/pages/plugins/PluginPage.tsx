import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Plugin, Runbook } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { PauseAction, Pauses } from '../../subjects/gate/Pauses.tsx'
import { RunbookText } from '../../subjects/plugins/RunbookText.tsx'
import { OwnerText } from '../../subjects/plugins/PluginLink.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { RecentOperations } from '../../subjects/operations/RecentOperations.tsx'
import { formatDuration } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Count } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Id, Mono } from '../../ui/Id.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Credentials } from './Credentials.tsx'
import { CheckBadge } from './reports/CheckBadge.tsx'
import { LIMIT_RANGE, validCredentials, type Limit } from './plugin-limits.ts'
import { pausesOfPluginCall } from '#contract/console-api/pages/pauses.ts'
import { PLUGIN_TABS, pluginCall } from '#contract/console-api/pages/plugins.ts'
import { PluginDialog } from './PluginDialog.tsx'
import { PluginReports } from './reports/PluginReports.tsx'
import { PluginBadge, RetiredNotice, RetirementButton } from './Retirement.tsx'

const PluginHealth = lazyPart(async () => (await import('./health/PluginHealth.tsx')).PluginHealth)

const PluginCalls = lazyPart(async () => (await import('./PluginCalls.tsx')).PluginCalls)

const route = getRouteApi('/plugins/$id')

export function PluginPage() {
  const t = useText()
  const { id } = route.useParams()
  const query = useQuery(apiQuery('GET /plugins/{pluginId}', pluginCall(id)))
  if (query.data) return <Shown plugin={query.data} />
  return <PendingPage id={id} trail={[{ label: t('plugins.title'), to: paths.plugins() }]} query={query} />
}

function Shown({ plugin }: { plugin: Plugin }) {
  const t = useText()
  const search = route.useSearch()
  const { tab = PLUGIN_TABS[0] } = search
  const [editing, setEditing] = useState(false)
  const may = useMay('plugin:write', 'everywhere')
  const { pluginId, title, endpoint } = plugin
  return (
    <Page
      title={title}
      trail={[{ label: t('plugins.title'), to: paths.plugins() }]}
      state={<PluginBadge plugin={plugin} look="pill" />}
      actions={
        <>
          <Button
            icon="edit"
            disabledReason={!may && t('plugins.reason.permission')}
            onClick={() => setEditing(true)}
          >
            {t('plugins.edit')}
          </Button>
          {plugin.paused === undefined && (
            <PauseAction of={{ kind: 'PLUGIN', pluginId, title }} isPaused={false} />
          )}
          <RetirementButton plugin={plugin} may={may} />
        </>
      }
    >
      {plugin.paused && <PluginPauses pluginId={pluginId} />}
      {plugin.retired && (
        <div className="mb-6">
          <RetiredNotice plugin={plugin} />
        </div>
      )}
      <Card className="mb-6">
        <DefinitionList
          layout="facts"
          items={[
            { label: t('plugins.fact.id'), value: <Id id={pluginId} full copy /> },
            { wide: true, label: t('plugins.fact.endpoint'), value: <Mono>{endpoint}</Mono> },
            {
              label: t('plugins.fact.version'),
              value: (
                <span className="flex flex-wrap gap-x-3">
                  {plugin.version ?? <span className="text-faint">{t('plugins.fact.notSet')}</span>}
                  <CheckBadge check={plugin.check} />
                </span>
              ),
            },
            {
              label: t('plugins.fact.owner'),
              value: plugin.owner ? (
                <OwnerText owner={plugin.owner} />
              ) : (
                <span className="text-faint">{t('plugins.fact.notSet')}</span>
              ),
            },
            { label: t('plugins.fact.timeout'), value: <LimitValue plugin={plugin} limit="timeoutMs" /> },
            { label: t('plugins.fact.attempts'), value: <LimitValue plugin={plugin} limit="maxAttempts" /> },
            { label: t('plugins.fact.backoff'), value: <LimitValue plugin={plugin} limit="maxBackoffMs" /> },
            plugin.runbooks !== undefined && {
              wide: 'line',
              label: t('plugins.form.runbooks'),
              value: <Runbooks runbooks={plugin.runbooks} />,
            },
          ]}
        />
      </Card>
      <div className="mb-5">
        <Tabs
          label={t('plugins.tab.label')}
          current={tab}
          tabs={PLUGIN_TABS.map((id) => ({
            id,
            label: t(`plugins.tab.${id}`),
            to: paths.plugin(pluginId, id === PLUGIN_TABS[0] ? {} : { tab: id }),
            count: id === 'credentials' && <Count>{validCredentials(plugin)}</Count>,
          }))}
        />
      </div>
      {tab === 'credentials' && <Credentials plugin={plugin} may={may} />}
      {tab === 'health' && (
        <Suspense fallback={<Skeleton className="h-72 rounded-lg" />}>
          <PluginHealth pluginId={pluginId} search={search} />
        </Suspense>
      )}
      {tab === 'calls' && (
        <Suspense fallback={<Skeleton className="h-72 rounded-lg" />}>
          <PluginCalls pluginId={pluginId} search={search} />
        </Suspense>
      )}
      {tab === 'reports' && <PluginReports plugin={plugin} may={may} />}
      {tab === 'operations' && <RecentOperations of={{ pluginId }} />}
      {editing && <PluginDialog plugin={plugin} onClose={() => setEditing(false)} />}
    </Page>
  )
}

function PluginPauses({ pluginId }: { pluginId: string }) {
  const { data } = useQuery(apiQuery('GET /pauses', pausesOfPluginCall(pluginId)))
  return (
    <div className="mb-6">
      <Pauses pauses={data?.items ?? []} />
    </div>
  )
}

/** The codes with their runbooks; many are folded. */
function Runbooks({ runbooks }: { runbooks: readonly Runbook[] }) {
  const t = useText()
  const list = (
    <ul className="space-y-1">
      {runbooks.map((runbook) => (
        <li key={runbook.errorCode} className="grid gap-x-4 sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)]">
          <Mono>{runbook.errorCode}</Mono>
          <div>
            <RunbookText runbook={runbook} />
          </div>
        </li>
      ))}
    </ul>
  )
  if (runbooks.length <= 3) return list
  return (
    <details>
      <summary>{t('plugins.runbooks.count', { n: runbooks.length })}</summary>
      {list}
    </details>
  )
}

function LimitValue({ plugin, limit }: { plugin: Plugin; limit: Limit }) {
  const t = useText()
  const set = plugin[limit]
  const value = set ?? LIMIT_RANGE[limit].standard
  const text = limit === 'maxAttempts' ? String(value) : formatDuration(value, t)
  return set === undefined ? (
    <span className="text-muted">{t('plugins.fact.default', { value: text })}</span>
  ) : (
    <>{text}</>
  )
}
