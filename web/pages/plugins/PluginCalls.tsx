import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import { pluginCallsCall, type PluginSearch } from '#contract/console-api/pages/plugins.ts'
import type { RecordedCalls } from '#contract/console-api/shapes.ts'
import {
  PLUGIN_CALL_KINDS,
  PLUGIN_CALL_RESULTS,
  type PluginCallResult,
} from '#contract/console-api/vocabulary.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { formatDuration, formatLocalTime, formatNumber } from '../../i18n/format.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { TimeFilter } from '../../ui/filters/TimeFilter.tsx'
import type { IconName } from '../../ui/Icon.tsx'
import { Mono } from '../../ui/Id.tsx'
import { PlainLink, TextLink } from '../../ui/Link.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Tone } from '../../ui/tone.ts'

const LOOK: Record<PluginCallResult, { tone: Tone; icon: IconName }> = {
  SUCCEEDED: { tone: 'ok', icon: 'done' },
  FAILED: { tone: 'fail', icon: 'failed' },
  UNKNOWN: { tone: 'doubt', icon: 'unknown' },
  REFUSED: { tone: 'fail', icon: 'lock' },
  IN_PROGRESS: { tone: 'live', icon: 'running' },
  BY_PLATFORM: { tone: 'quiet', icon: 'nothing' },
}

/** The calls between this platform and a plugin: its lifecycle attempts, and what it read, with the reason of each refusal. */
export function PluginCalls({ pluginId, search }: { pluginId: string; search: PluginSearch }) {
  const t = useText()
  const navigate = useNavigate()
  const { kind, result, code, operation, since, until, cursor } = search
  const query = useQuery({
    ...apiQuery('GET /plugins/{pluginId}/calls', pluginCallsCall(pluginId, search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => callColumns(t, pluginId), [t, pluginId])
  const change = (next: { [Name in keyof PluginSearch]?: PluginSearch[Name] | undefined }) =>
    void navigate({
      ...paths.plugin(
        pluginId,
        omitUndefined({ tab: 'calls' as const, kind, result, code, operation, since, until, ...next }),
      ),
      replace: true,
      resetScroll: false,
    })
  const isFiltered = [kind, result, code, operation, since, until].some((filter) => filter !== undefined)
  const searchedTo = query.data?.searchedTo
  return (
    <>
      <p className="mb-3 max-w-[80ch] text-muted">{t('pluginCalls.about')}</p>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar onClear={isFiltered && (() => void navigate(paths.plugin(pluginId, { tab: 'calls' })))}>
          <ChoiceFilter
            label={t('pluginCalls.kind')}
            value={kind}
            choices={PLUGIN_CALL_KINDS.map((value) => ({ value, label: t(`pluginCalls.kind.${value}`) }))}
            onChange={(value) => change({ kind: value })}
          />
          <ChoiceFilter
            label={t('pluginCalls.result')}
            value={result}
            choices={PLUGIN_CALL_RESULTS.map((value) => ({
              value,
              label: t(`pluginCalls.result.${value}`),
              ...LOOK[value],
            }))}
            onChange={(value) => change({ result: value })}
          />
          <TimeFilter since={since} until={until} onChange={change} />
          <TextFilters
            label={t('pluginCalls.more')}
            onChange={change}
            filters={[
              { name: 'code', label: t('pluginCalls.code'), value: code },
              { name: 'operation', label: t('pluginCalls.operation'), value: operation },
            ]}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('pluginCalls.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        lines={2}
        cursor={cursor}
        pageLink={(next) => paths.plugin(pluginId, omitUndefined({ ...search, cursor: next }))}
        partial={
          searchedTo === undefined
            ? undefined
            : t('pluginCalls.searchedTo', { time: formatLocalTime(Date.parse(searchedTo)) })
        }
        onClear={isFiltered && (() => void navigate(paths.plugin(pluginId, { tab: 'calls' })))}
        empty={
          <EmptyState
            icon="plugins"
            title={t('pluginCalls.empty.title')}
            message={t('pluginCalls.empty.message')}
          />
        }
      />
    </>
  )
}

const rowKey = ({ kind, at, attempt, installation, resource, property, rule, code }: RecordedCalls) =>
  JSON.stringify([kind, at, attempt, installation?.bundleInstallId, resource, property, rule, code])

const callColumns = (t: Translate, pluginId: string): Column<RecordedCalls>[] => [
  {
    id: 'kind',
    header: t('pluginCalls.kind'),
    width: '9.5rem',
    cell: ({ kind, calls }) => (
      <>
        <span className="block">{t(`pluginCalls.kind.${kind}`)}</span>
        {calls > 1 && (
          <span className="block text-xs text-muted">
            {t('pluginCalls.times', { n: calls, count: formatNumber(calls) })}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'result',
    header: t('pluginCalls.result'),
    width: 'max(11rem, 22cqi)',
    cell: ({ result, code, rule }) => (
      <>
        <Badge look="plain" {...LOOK[result]}>
          {t(`pluginCalls.result.${result}`)}
        </Badge>
        {code !== null && (
          <span className="block truncate text-xs" title={code}>
            <Mono>{code}</Mono>
            {rule && <span className="text-muted"> · {t(`pluginCalls.rule.${rule}`)}</span>}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'about',
    header: t('pluginCalls.subject'),
    card: 'wide',
    cell: ({ attempt, installation, resource, property }) => (
      <>
        {installation === null ? (
          <span className="block text-faint">{t('pluginCalls.anyInstallation')}</span>
        ) : (
          <PlainLink
            to={paths.installation(installation.bundleInstallId)}
            className="target block truncate rounded-sm hover:underline"
          >
            {installation.title}
          </PlainLink>
        )}
        <span className="block truncate text-xs text-muted">
          {attempt ? (
            <TextLink
              to={paths.operation(attempt.operationId, {
                stage: attempt.stage,
                plugin: pluginId,
                attempt: attempt.attempt,
              })}
            >
              {t('pluginCalls.attempt', {
                type: t(`vocabulary.type.${attempt.operationType}`),
                stage: t(`vocabulary.phase.${attempt.stage}`),
                attempt: attempt.attempt,
              })}
            </TextLink>
          ) : (
            resource !== null && <Mono>{[resource, property].filter(Boolean).join(' · ')}</Mono>
          )}
        </span>
      </>
    ),
  },
  {
    id: 'http',
    header: t('pluginHealth.http'),
    width: '7.5rem',
    align: 'end',
    hideBelow: 'lg',
    cell: ({ attempt }) => attempt?.httpStatus ?? <Nothing />,
  },
  {
    id: 'duration',
    header: t('pluginHealth.duration'),
    width: '6.5rem',
    align: 'end',
    hideBelow: 'lg',
    cell: ({ attempt }) =>
      attempt?.durationMs == null ? <Nothing /> : formatDuration(attempt.durationMs, t),
  },
  {
    id: 'at',
    header: t('pluginCalls.at'),
    width: '8rem',
    cell: ({ at }) => <Time at={at} inRow className="text-muted" />,
  },
]
