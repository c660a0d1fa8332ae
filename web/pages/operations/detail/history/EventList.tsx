import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { paths } from '../../../../addresses/paths.ts'
import { formatDuration, formatExactTime } from '../../../../i18n/format.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { joinClauses } from '../../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../../i18n/use-text.ts'
import { Table, type Column } from '../../../../ui/table/Table.tsx'
import { failureTitle, stoppedText } from '../../../../subjects/operations/describe-failure.ts'
import { choiceOf, type Bar, type Gap, type CallTimeline } from '../calls/timeline.ts'
import { verdictLook } from '../calls/verdict.ts'
import { historyOf, type HistoryEntry } from './history-entries.ts'

const entryKey = ({ id }: HistoryEntry) => id

/** Requests, responses and events in one list, with times in milliseconds. */
export function EventList({ operation, timeline }: { operation: OperationDetail; timeline: CallTimeline }) {
  const t = useText()
  const { operationId } = operation
  const history = useMemo(() => historyOf(operation, timeline), [operation, timeline])
  const columns = useMemo<Column<HistoryEntry>[]>(
    () => [
      {
        id: 'time',
        header: t('operationHistory.time'),
        width: '15.5rem',
        cell: ({ at }) => (
          <time dateTime={new Date(at).toISOString()} className="tabular-nums">
            {formatExactTime(at)}
          </time>
        ),
      },
      {
        id: 'event',
        header: t('operationHistory.event'),
        width: '11.5rem',
        cell: (entry) => eventText(entry, t),
      },
      {
        id: 'call',
        header: t('operationHistory.call'),
        width: '16rem',
        cell: (entry) => <Call operationId={operationId} entry={entry} />,
      },
      {
        id: 'details',
        header: t('operationHistory.details'),
        card: 'wide',
        cell: (entry) => <Details entry={entry} />,
      },
    ],
    [t, operationId],
  )
  return (
    <Table
      label={t('operationHistory.label')}
      columns={columns}
      rows={history}
      rowKey={entryKey}
      lines={2}
      empty={null}
    />
  )
}

function Call({ operationId, entry }: { operationId: string; entry: HistoryEntry }) {
  const t = useText()
  const of = 'bar' in entry ? entry.bar : 'gap' in entry ? entry.gap : null
  if (of === null) return null
  return (
    <>
      <span className="mono block truncate font-medium">{of.pluginId}</span>
      <span className="block truncate text-xs text-faint">
        <AttemptLink operationId={operationId} of={of} />
        {'\u00a0· '}
        {t(`vocabulary.phase.${of.stage}`)}
      </span>
    </>
  )
}

function eventText(entry: HistoryEntry, t: Translate): string {
  if ('bar' in entry && entry.bar.attempt.byPlatform)
    return t(
      entry.kind === 'request' ? 'operationHistory.event.notCalled' : 'operationHistory.event.byPlatform',
    )
  if (entry.kind !== 'response') return t(`operationHistory.event.${entry.kind}`)
  const { late, httpStatus } = entry.bar.attempt
  if (late) return t('operationHistory.event.late')
  return t(httpStatus === null ? 'operationHistory.event.noResponse' : 'operationHistory.event.response')
}

function Details({ entry }: { entry: HistoryEntry }) {
  const t = useText()
  const text = detailsText(entry, t)
  const failure = entry.kind === 'response' ? entry.bar.attempt.failure : null
  const message = failure && messageText(failure)
  return (
    <>
      <span title={text} className="block truncate">
        {text}
      </span>
      {message !== null && (
        <span title={message} className="block truncate text-xs text-muted">
          {message}
        </span>
      )}
    </>
  )
}

function detailsText(entry: HistoryEntry, t: Translate): string {
  switch (entry.kind) {
    case 'requested':
      return joinClauses(t, [entry.by.name, entry.reason])
    case 'started':
      return t('operationHistory.details.waited', { time: formatDuration(entry.waitedMs, t) })
    case 'response':
      return responseText(entry.bar, t)
    case 'resources':
      return joinClauses(t, [
        t('operations.detail.resources.row', { n: entry.count }),
        t('operationHistory.details.until', { time: formatExactTime(entry.to) }),
      ])
    case 'failed': {
      const { run, failure } = entry
      return joinClauses(t, [
        t('operations.field.run', { run }),
        failureTitle(failure, t),
        failure.errorCode,
        failure.stopped && stoppedText(failure.stopped, t),
      ])
    }
    case 'retried':
      return joinClauses(t, [t('operations.field.run', { run: entry.run }), entry.by.name, entry.reason])
    case 'takenOver':
      return joinClauses(t, [entry.by.name, entry.reason])
    case 'note':
      return joinClauses(t, [entry.note.author.name, entry.note.text])
    default:
      return ''
  }
}

function responseText({ attempt, verdict, from, to }: Bar, t: Translate): string {
  const { httpStatus, failure } = attempt
  return joinClauses(t, [
    t(verdictLook[verdict].word),
    httpStatus !== null && `HTTP ${httpStatus}`,
    to !== null && formatDuration(to - from, t),
    failure?.errorCode,
  ])
}

/** Shows an attempt below the history; of attempts that are not loaded, the first one, which loads them. */
function AttemptLink({ operationId, of }: { operationId: string; of: Bar | Gap }) {
  const t = useText()
  const choice = 'attempt' in of ? choiceOf(of) : { stage: of.stage, plugin: of.pluginId, attempt: of.first }
  return (
    <Link
      {...paths.operation(operationId, { ...choice, view: 'list' })}
      replace
      resetScroll={false}
      preload={false}
      className="rounded-sm font-medium text-accent underline decoration-accent/35 underline-offset-3 hover:decoration-accent"
    >
      {'attempt' in of
        ? t('operations.attempt.name', { attempt: of.attempt.attempt, run: of.attempt.run })
        : t('operations.detail.notLoaded', { first: of.first, last: of.last })}
    </Link>
  )
}
