import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { pluginHealthCall, type PluginSearch } from '#contract/console-api/pages/plugins.ts'
import type { HealthFigures, PluginHealth as Health } from '#contract/console-api/shapes.ts'
import { HEALTH_RANGE_NAMES, HEALTH_RANGES, type HealthRange } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { Plot, type Look } from '../../../ui/plot/Plot.tsx'
import {
  formatTimeOfDay,
  formatDay,
  formatDuration,
  formatLocalTime,
  formatNumber,
} from '../../../i18n/format.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { SegmentedControl } from '../../../ui/SegmentedControl.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { bucketsOf, failedOf, uncertainShare, type Bucket } from './buckets.ts'
import { durationText, numberText, percentText } from './figure-texts.ts'
import { BucketTable, EndpointTable, LatestTable, VersionTable } from './HealthTables.tsx'

/** How a plugin answered in a range of time: in total, over time, before and after changes, and its newest attempts. */
export function PluginHealth({ pluginId, search }: { pluginId: string; search: PluginSearch }) {
  const t = useText()
  const navigate = useNavigate()
  const { range = 'day' } = search
  const query = useQuery({
    ...apiQuery('GET /plugins/{pluginId}/health', pluginHealthCall(pluginId, search)),
    placeholderData: keepPreviousData,
  })
  const error = useErrorView(query.error)
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('pluginHealth.about')}</p>
        <SegmentedControl
          label={t('pluginHealth.range.label')}
          value={range}
          options={HEALTH_RANGE_NAMES.map((value) => ({ value, label: t(`pluginHealth.range.${value}`) }))}
          onChange={(value) =>
            void navigate({
              ...paths.plugin(pluginId, { tab: 'health', range: value }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {error && <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />}
      {query.data && !error && (
        <Shown
          pluginId={pluginId}
          health={query.data}
          // the previous range stays until the next one is loaded
          range={query.isPlaceholderData ? rangeOf(query.data) : range}
        />
      )}
      {!query.data && !error && <Skeleton className="h-72 rounded-lg" />}
    </>
  )
}

/** The range of a response: the shortest that contains it. */
const rangeOf = ({ since, until }: Health): HealthRange =>
  HEALTH_RANGE_NAMES.find((name) => Date.parse(until) - Date.parse(since) <= HEALTH_RANGES[name].lengthMs) ??
  'month'

function Shown({ pluginId, health, range }: { pluginId: string; health: Health; range: HealthRange }) {
  const t = useText()
  if (health.total.attempts === 0) {
    return (
      <Card>
        <EmptyState
          icon="plugins"
          title={t('pluginHealth.none.title')}
          message={t('pluginHealth.none.message')}
        />
      </Card>
    )
  }
  const buckets = bucketsOf(health, range)
  return (
    <div className="space-y-6">
      {!health.complete && (
        <Notice>{t('pluginHealth.partial', { time: formatLocalTime(Date.parse(health.since)) })}</Notice>
      )}
      <Summary total={health.total} />
      <Plots health={health} buckets={buckets} range={range} />
      {health.endpoints.length > 1 && <EndpointTable endpoints={health.endpoints} />}
      <VersionTable versions={health.versions} />
      <LatestTable pluginId={pluginId} latest={health.latest} />
    </div>
  )
}

function Summary({ total }: { total: HealthFigures }) {
  const t = useText()
  const share = uncertainShare(total)
  return (
    <Card>
      <h2 className="sr-only">{t('pluginHealth.summary')}</h2>
      <DefinitionList
        layout="columns"
        className="[&_dd]:text-xl [&_dd]:font-semibold [&_dd]:tracking-tight [&_dd]:tabular-nums"
        items={[
          { label: t('pluginHealth.attempts'), value: formatNumber(total.attempts) },
          { label: t('pluginHealth.succeeded'), value: formatNumber(total.succeeded) },
          {
            label: t('pluginHealth.share'),
            value: <span title={t('pluginHealth.uncertain.hint')}>{percentText(share, t)}</span>,
          },
          { label: t('pluginHealth.p50'), value: durationText(total.p50Ms, t) },
          { label: t('pluginHealth.p95'), value: durationText(total.p95Ms, t) },
          { label: t('pluginHealth.needed'), value: numberText(total.attemptsNeeded) },
        ]}
      />
    </Card>
  )
}

const SUCCEEDED: Look = { ink: 'var(--ok)', texture: 'light' }
const UNCERTAIN: Look = { ink: 'var(--doubt)', texture: 'stripes' }
const FAILED: Look = { ink: 'var(--danger-fill)' }
const P50: Look = { ink: 'var(--live)' }
const P95: Look = { ink: 'var(--moved)', dash: '5 3' }

function Plots({ health, buckets, range }: { health: Health; buckets: Bucket[]; range: HealthRange }) {
  const t = useText()
  const isShort = HEALTH_RANGES[range].bucketMs < 21_600_000
  const first = buckets[0]?.from ?? 0
  const shared = {
    times: buckets.map(({ from }) => from),
    end: buckets.at(-1)?.to ?? 0,
    formatTime: (at: number) => (isShort ? formatTimeOfDay(at) : formatDay(at)),
    marks: health.endpoints
      .slice(1)
      .flatMap(({ since }) => (since === null ? [] : [Date.parse(since)]))
      .filter((at) => at > first)
      .map((at) => ({ at, label: t('pluginHealth.endpointChanged') })),
  }
  const of = (value: (figures: HealthFigures) => number | null) =>
    buckets.map(({ figures }) => (figures === null ? null : value(figures)))
  return (
    <Card>
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <Plot
          {...shared}
          kind="bars"
          title={t('pluginHealth.attempts')}
          format={formatNumber}
          series={[
            {
              id: 's',
              label: t('pluginHealth.succeeded'),
              look: SUCCEEDED,
              values: of((one) => one.succeeded),
            },
            {
              id: 'u',
              label: t('pluginHealth.uncertain'),
              look: UNCERTAIN,
              values: of((one) => one.uncertain),
            },
            { id: 'f', label: t('pluginHealth.failed'), look: FAILED, values: of(failedOf) },
          ]}
        />
        <Plot
          {...shared}
          kind="lines"
          title={t('pluginHealth.responseTime')}
          format={(ms) => formatDuration(ms, t)}
          series={[
            { id: 'p50', label: t('pluginHealth.p50'), look: P50, values: of((one) => one.p50Ms) },
            { id: 'p95', label: t('pluginHealth.p95'), look: P95, values: of((one) => one.p95Ms) },
          ]}
        />
        <Plot
          {...shared}
          kind="lines"
          title={t('pluginHealth.share')}
          format={(share) => percentText(share, t)}
          series={[
            { id: 'share', label: t('pluginHealth.share'), look: UNCERTAIN, values: of(uncertainShare) },
          ]}
        />
        <Plot
          {...shared}
          kind="lines"
          title={t('pluginHealth.needed')}
          format={(value) => numberText(value)}
          series={[
            {
              id: 'needed',
              label: t('pluginHealth.needed'),
              look: P50,
              values: of((one) => one.attemptsNeeded),
            },
          ]}
        />
      </div>
      <BucketTable buckets={buckets} />
    </Card>
  )
}
