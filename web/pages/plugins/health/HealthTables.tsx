import { useMemo } from 'react'
import type { HealthFigures, PluginHealth } from '#contract/console-api/shapes.ts'
import { formatLocalTime, formatNumber } from '../../../i18n/format.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { ScopeText } from '../../../subjects/scopes/ScopeText.tsx'
import { Section } from '../../../ui/Card.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Mono } from '../../../ui/Id.tsx'
import { outcomeLook } from '../../../ui/states.ts'
import { Time } from '../../../ui/Time.tsx'
import { toneText } from '../../../ui/tone.ts'
import { Table, type Column } from '../../../ui/table/Table.tsx'
import { uncertainShare, type Bucket } from './buckets.ts'
import { durationText, numberText, percentText } from './figure-texts.ts'

/** No wider than needed: the rest is for the endpoint, whose end tells it from the others. */
const FIGURE_WIDTHS = {
  attempts: '6.5rem',
  succeeded: '6.75rem',
  share: '8.5rem',
  p50: '6rem',
  p95: '6rem',
  needed: '10.5rem',
}

function figureColumns<Row>(t: Translate, of: (row: Row) => HealthFigures): Column<Row>[] {
  const column = (
    id: keyof typeof FIGURE_WIDTHS,
    header: string,
    text: (figures: HealthFigures) => string,
    hideBelow?: Column<Row>['hideBelow'],
  ): Column<Row> => ({
    id,
    header,
    cell: (row) => text(of(row)),
    align: 'end',
    width: FIGURE_WIDTHS[id],
    ...(hideBelow && { hideBelow }),
  })
  return [
    column('attempts', t('pluginHealth.attempts'), ({ attempts }) => formatNumber(attempts)),
    column('succeeded', t('pluginHealth.succeeded'), ({ succeeded }) => formatNumber(succeeded), 'lg'),
    column('share', t('pluginHealth.share'), (figures) => percentText(uncertainShare(figures), t)),
    column('p50', t('pluginHealth.column.p50'), ({ p50Ms }) => durationText(p50Ms, t), 'lg'),
    column('p95', t('pluginHealth.column.p95'), ({ p95Ms }) => durationText(p95Ms, t)),
    column('needed', t('pluginHealth.needed'), ({ attemptsNeeded }) => numberText(attemptsNeeded), 'xl'),
  ]
}

type FilledBucket = { from: number; figures: HealthFigures }

/** The numbers of the plots. */
export function BucketTable({ buckets }: { buckets: readonly Bucket[] }) {
  const t = useText()
  const rows = buckets.flatMap(({ from, figures }): FilledBucket[] => (figures ? [{ from, figures }] : []))
  const columns = useMemo(
    (): Column<FilledBucket>[] => [
      {
        id: 'from',
        header: t('pluginHealth.from'),
        cell: ({ from }) => formatLocalTime(from),
        width: '14rem',
      },
      ...figureColumns<FilledBucket>(t, ({ figures }) => figures),
    ],
    [t],
  )
  return (
    <details className="group mt-4 border-t border-line pt-2">
      <summary className="inline-flex min-h-6 items-center gap-1 rounded-sm text-xs font-medium text-muted hover:text-ink">
        <Icon name="chevronRight" size={12} className="transition-transform group-open:rotate-90" />
        {t('pluginHealth.table')}
      </summary>
      <Table
        className="mt-2"
        label={t('pluginHealth.table.label')}
        columns={columns}
        rows={rows}
        rowKey={bucketKey}
        empty={null}
      />
    </details>
  )
}

const bucketKey = ({ from }: FilledBucket) => String(from)

type EndpointRow = PluginHealth['endpoints'][number]

export function EndpointTable({ endpoints }: { endpoints: readonly EndpointRow[] }) {
  const t = useText()
  const columns = useMemo(
    (): Column<EndpointRow>[] => [
      {
        id: 'endpoint',
        header: t('pluginHealth.endpoint'),
        cell: ({ endpoint }) =>
          endpoint === null ? (
            <span className="text-faint">{t('pluginHealth.endpoint.unknown')}</span>
          ) : (
            <Mono>{endpoint}</Mono>
          ),
        width: 'max(10.5rem, 22cqi)',
      },
      {
        id: 'since',
        header: t('pluginHealth.since'),
        cell: ({ since }) => (since === null ? '–' : <Time at={since} inRow />),
        width: '8rem',
      },
      ...figureColumns<EndpointRow>(t, (row) => row),
    ],
    [t],
  )
  return (
    <Section title={t('pluginHealth.endpoints.title')} flush>
      <Table
        label={t('pluginHealth.endpoints.title')}
        columns={columns}
        rows={endpoints}
        rowKey={endpointKey}
        empty={null}
      />
    </Section>
  )
}

const endpointKey = ({ since }: EndpointRow) => since ?? ''

type VersionRow = PluginHealth['versions'][number]

export function VersionTable({ versions }: { versions: readonly VersionRow[] }) {
  const t = useText()
  const columns = useMemo(
    (): Column<VersionRow>[] => [
      {
        id: 'version',
        header: t('pluginHealth.version'),
        cell: ({ bundle, version }) => (
          <>
            <Mono className="block truncate">{`${bundle.environmentKey}/${bundle.bundleId}`}</Mono>
            <Mono className="block truncate font-normal text-muted">{version}</Mono>
          </>
        ),
        width: 'max(10.5rem, 22cqi)',
      },
      {
        id: 'last',
        header: t('pluginHealth.lastUsed'),
        cell: ({ lastAt }) => <Time at={lastAt} inRow />,
        width: '8rem',
      },
      ...figureColumns<VersionRow>(t, (row) => row),
    ],
    [t],
  )
  return (
    <Section title={t('pluginHealth.versions.title')} flush>
      <Table
        label={t('pluginHealth.versions.title')}
        columns={columns}
        rows={versions}
        rowKey={versionKey}
        lines={2}
        empty={null}
      />
    </Section>
  )
}

const versionKey = ({ bundle, version }: VersionRow) =>
  `${bundle.environmentKey}/${bundle.bundleId}/${version}`

type LatestRow = PluginHealth['latest'][number] & { pluginId: string }

export function LatestTable({ pluginId, latest }: { pluginId: string; latest: PluginHealth['latest'] }) {
  const t = useText()
  const rows = useMemo(() => latest.map((row) => ({ ...row, pluginId })), [latest, pluginId])
  const columns = useMemo(
    (): Column<LatestRow>[] => [
      {
        id: 'operation',
        header: t('pluginHealth.operation'),
        cell: ({ operationType, title, scope }) => (
          <>
            <span className="block truncate">
              {t('operations.name', { type: t(`vocabulary.type.${operationType}`), bundle: title })}
            </span>
            <ScopeText scope={scope} className="block truncate text-xs font-normal text-muted" />
          </>
        ),
        width: 'max(14.5rem, 26cqi)',
      },
      {
        id: 'call',
        header: t('pluginHealth.stage'),
        cell: ({ stage, attempt }) => (
          <>
            <span className="block truncate">{t(`vocabulary.phase.${stage}`)}</span>
            <span className="block truncate text-xs text-muted">
              {t('pluginHealth.attempt', { attempt })}
            </span>
          </>
        ),
        width: '9rem',
      },
      {
        id: 'result',
        header: t('pluginHealth.result'),
        card: 'wide',
        cell: ({ outcome, errorCode }) =>
          outcome === null ? (
            // not a badge: on a card, a long code has several lines
            <span className="flex min-w-0 items-center gap-1.5">
              <Icon name="failed" size={14} className={toneText.fail} />
              <Mono className="truncate">{errorCode ?? '–'}</Mono>
            </span>
          ) : (
            <Badge look="plain" tone={outcomeLook[outcome].tone} icon={outcomeLook[outcome].icon}>
              {t(`vocabulary.outcome.${outcome}`)}
            </Badge>
          ),
      },
      {
        id: 'http',
        header: t('pluginHealth.http'),
        cell: ({ httpStatus }) => httpStatus ?? '–',
        align: 'end',
        width: '7rem',
        hideBelow: 'lg',
      },
      {
        id: 'duration',
        header: t('pluginHealth.duration'),
        cell: ({ durationMs }) => durationText(durationMs, t),
        align: 'end',
        width: '6.5rem',
      },
      {
        id: 'started',
        header: t('pluginHealth.started'),
        cell: ({ startedAt }) => <Time at={startedAt} inRow className="text-muted" />,
        width: '8rem',
        hideBelow: 'md',
      },
    ],
    [t],
  )
  return (
    <Section title={t('pluginHealth.latest.title')} flush>
      <Table
        label={t('pluginHealth.latest.title')}
        columns={columns}
        rows={rows}
        rowKey={latestKey}
        rowLink={latestLink}
        lines={2}
        empty={null}
      />
    </Section>
  )
}

const latestKey = ({ operationId, stage, attempt }: LatestRow) => `${operationId}/${stage}/${attempt}`
const latestLink = ({ operationId, stage, pluginId, attempt }: LatestRow) =>
  paths.operation(operationId, { stage, plugin: pluginId, attempt })
