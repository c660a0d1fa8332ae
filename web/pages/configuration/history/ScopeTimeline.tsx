import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { TIMELINE_RANGES, timelineCalls } from '#contract/console-api/pages/configuration.ts'
import { HEALTH_RANGES } from '#contract/console-api/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { paths } from '../../../addresses/paths.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { formatDay, formatLocalTime, formatTimeOfDay } from '../../../i18n/format.ts'
import { joinClauses, labelled } from '../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Icon, type IconName } from '../../../ui/Icon.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { Nothing } from '../../../ui/Nothing.tsx'
import { SegmentedControl } from '../../../ui/SegmentedControl.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { useWidth } from '../../../ui/use-width.ts'
import { HISTORY } from '../draft/endpoints.ts'
import {
  LANES,
  timeMarksOf,
  scopeEvents,
  targetOf,
  type Lane,
  type Mark,
  type ScopeEvent,
} from './scope-events.ts'

const HOUR_MS = 3_600_000
/** Of a mark (`size-6`) and of a label, in rem: both grow with the text. */
const MARK = 1.5
const LABEL = 4.75

type Range = (typeof TIMELINE_RANGES)[number]

const LOOKS: Record<Lane, { icon: IconName; className: string }> = {
  saves: { icon: 'edit', className: 'border-live-line bg-live-tint text-live' },
  operations: { icon: 'installations', className: 'border-ok-line bg-ok-tint text-ok' },
  failures: { icon: 'failed', className: 'border-fail-line bg-fail-tint text-fail' },
  plugins: { icon: 'plugins', className: 'border-moved-line bg-moved-tint text-moved' },
}

/** What happened in a scope: saves, operations, failures, and changes of the plugins that its installations call. */
export function ScopeTimeline({
  scope,
  range = 'week',
  onRange,
}: {
  scope: Scope
  range: Range | undefined
  onRange: (range: Range) => void
}) {
  const t = useText()
  const now = useNow(60_000)
  // whole hours, so that the requests stay the same
  const since = Math.floor((now - HEALTH_RANGES[range].lengthMs) / HOUR_MS) * HOUR_MS
  const calls = timelineCalls(scope, new Date(since).toISOString())
  const saves = useQuery(apiQuery(HISTORY, calls.saves))
  const operations = useQuery(apiQuery('GET /operations', calls.operations))
  const failures = useQuery(apiQuery('GET /operations', calls.failures))
  const plugins = useQuery(apiQuery('GET /plugins', calls.plugins))
  const queries = [saves, operations, failures, plugins]
  const failed = queries.find(({ error, data }) => error !== null && data === undefined)
  const error = useErrorView(failed?.error ?? null)
  const events = useMemo(
    () =>
      scopeEvents(
        {
          scope,
          snapshots: saves.data?.items ?? [],
          operations: [...(operations.data?.items ?? []), ...(failures.data?.items ?? [])],
          plugins: plugins.data?.items ?? [],
        },
        since,
        t,
      ),
    [scope, saves.data, operations.data, failures.data, plugins.data, since, t],
  )
  const columns = useMemo(() => eventColumns(t), [t])
  const isPartial = queries.some(({ data }) => data !== undefined && data.nextCursor !== null)
  return (
    <figure
      aria-label={t('configuration.timeline.title')}
      className="mb-5 rounded-lg border border-line bg-surface"
    >
      <figcaption className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3 pb-2">
        <span className="font-semibold">{t('configuration.timeline.title')}</span>
        <span className="flex flex-wrap items-center gap-3">
          <TextLink to={paths.calendar(scope)}>{t('calendar.title')}</TextLink>
          <SegmentedControl
            label={t('pluginHealth.range.label')}
            value={range}
            options={TIMELINE_RANGES.map((value) => ({ value, label: t(`pluginHealth.range.${value}`) }))}
            onChange={onRange}
          />
        </span>
      </figcaption>
      {failed !== undefined && error !== null ? (
        <ErrorState error={error} onRetry={() => void failed.refetch()} retrying={failed.isFetching} />
      ) : (
        <>
          <Lanes events={events} scope={scope} since={since} now={now} />
          {isPartial && <p className="px-4 pb-2 text-muted">{t('configuration.timeline.partial')}</p>}
          <details className="group border-t border-line px-4 py-2">
            <summary className="inline-flex min-h-6 items-center gap-1 rounded-sm text-xs font-medium text-muted hover:text-ink">
              <Icon name="chevronRight" size={12} className="transition-transform group-open:rotate-90" />
              {t('configuration.timeline.table', { n: events.length })}
            </summary>
            <Table
              className="mt-2 mb-1"
              label={t('configuration.timeline.title')}
              columns={columns}
              rows={events}
              rowKey={eventKey}
              empty={<p className="p-4 text-muted">{t('configuration.timeline.none')}</p>}
            />
          </details>
        </>
      )}
    </figure>
  )
}

function Lanes({
  events,
  scope,
  since,
  now,
}: {
  events: readonly ScopeEvent[]
  scope: Scope
  since: number
  now: number
}) {
  const t = useText()
  const [track, width] = useWidth<HTMLDivElement>()
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const inner = Math.max(1, width - MARK * rem)
  const fraction = (at: number) => Math.min(1, (at - since) / (now - since))
  // a share of the track and not px: it stays inside while its width changes
  const startOf = (share: number) => `calc((100% - ${MARK}rem) * ${share})`
  return (
    <div className="grid grid-cols-[max-content_minmax(0,1fr)] px-4 pb-2 sm:grid-cols-[9rem_minmax(0,1fr)]">
      {LANES.map((lane) => (
        <div
          key={lane}
          className="col-span-2 grid min-h-8 grid-cols-subgrid items-center border-t border-line"
        >
          <span className="pr-2 text-xs leading-4 text-muted">
            {t(`configuration.timeline.lane.${lane}`)}
          </span>
          <ul aria-label={t(`configuration.timeline.lane.${lane}`)} className="relative h-8">
            {width > 0 &&
              timeMarksOf(
                events.filter((event) => event.lane === lane),
                (at) => fraction(at) * inner,
                MARK * rem,
              ).map((mark) => (
                <li
                  key={mark.events[0]?.id}
                  className="absolute top-1"
                  style={{ left: startOf(mark.x / inner) }}
                >
                  <MarkLink mark={mark} lane={lane} scope={scope} />
                </li>
              ))}
          </ul>
        </div>
      ))}
      <span className="border-t border-control" />
      <div ref={track} aria-hidden="true" className="relative h-6 border-t border-control text-xs text-muted">
        {width > 0 &&
          ticksOf(since, now, Math.max(1, Math.floor(inner / (LABEL * rem)))).map((at) => (
            <span
              key={at}
              className="absolute top-1 -translate-x-1/2 whitespace-nowrap tabular-nums"
              style={{ left: `calc(${MARK / 2}rem + ${startOf(fraction(at))})` }}
            >
              {now - since > 2 * 24 * HOUR_MS ? formatDay(at) : formatTimeOfDay(at)}
            </span>
          ))}
      </div>
    </div>
  )
}

function MarkLink({ mark, lane, scope }: { mark: Mark; lane: Lane; scope: Scope }) {
  const t = useText()
  const { icon, className } = LOOKS[lane]
  const [first] = mark.events
  if (first === undefined) return null
  const label =
    mark.events.length === 1
      ? labelled(t, formatLocalTime(first.at), joinClauses(t, [first.text, first.person]))
      : labelled(t, formatLocalTime(first.at), t('configuration.timeline.several', { n: mark.events.length }))
  return (
    <span title={label}>
      <PlainLink
        to={targetOf(mark, scope)}
        aria-label={label}
        className={cx(
          'flex size-6 items-center justify-center rounded-md border text-xs font-medium hover:border-ink',
          className,
        )}
      >
        {mark.events.length === 1 ? <Icon name={icon} size={14} /> : mark.events.length}
      </PlainLink>
    </span>
  )
}

/** Round times between the first and the last, with room for their labels at both ends. */
function ticksOf(since: number, now: number, most: number): number[] {
  const step =
    [1, 2, 3, 6, 12, 24, 48, 96, 168, 336]
      .map((hours) => hours * HOUR_MS)
      .find((size) => (now - since) / size <= most) ?? now - since
  const midnight = new Date(since)
  midnight.setHours(0, 0, 0, 0)
  const first = midnight.getTime()
  return Array.from(
    { length: Math.ceil((now - first) / step) + 1 },
    (_, index) => first + index * step,
  ).filter((at) => at >= since + step / 2 && at <= now - step / 2)
}

const eventKey = ({ id }: ScopeEvent) => id

const eventColumns = (t: Translate): Column<ScopeEvent>[] => [
  {
    id: 'what',
    header: t('configuration.timeline.what'),
    cell: ({ text, to }) => <TextLink to={to}>{text}</TextLink>,
  },
  {
    id: 'lane',
    header: t('configuration.timeline.kind'),
    cell: ({ lane }) => t(`configuration.timeline.lane.${lane}`),
    width: '10rem',
    card: 'plain',
  },
  {
    id: 'person',
    header: t('configuration.history.person'),
    cell: ({ person }) => person ?? <Nothing />,
    width: '9rem',
  },
  {
    id: 'at',
    header: t('configuration.timeline.at'),
    cell: ({ at }) => <Time at={at} inRow />,
    width: '9rem',
  },
]
