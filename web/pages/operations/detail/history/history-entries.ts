import type { Failure, OperationDetail, Person } from '#contract/console-api/shapes.ts'
import { momentOf, rowsOf, type Bar, type Gap, type CallTimeline } from '../calls/timeline.ts'

type Event =
  | { kind: 'requested'; by: Person; reason: string | null }
  | { kind: 'started'; waitedMs: number }
  | { kind: 'request'; bar: Bar }
  /** The end of an attempt: its response, also a late one, or that there is none. */
  | { kind: 'response'; bar: Bar }
  /** Attempts that are not loaded. */
  | { kind: 'gap'; gap: Gap }
  /** The exact time is not recorded: it is between `at` and `to`. */
  | { kind: 'resources'; count: number; to: number }
  | { kind: 'failed'; run: number; failure: Failure }
  | { kind: 'retried'; run: number; by: Person; reason: string | null }
  | { kind: 'takenOver'; by: Person; reason: string | null }
  | { kind: 'succeeded' }
  | { kind: 'note'; note: NonNullable<OperationDetail['notes']>[number] }
  | { kind: 'nextAttempt' }

/** Something that happened, or is scheduled, at a time in milliseconds. The id is unique in its history. */
export type HistoryEntry = Event & { id: string; at: number }

/** The order of entries of the same time. */
const RANK: Record<Event['kind'], number> = {
  requested: 0,
  retried: 1,
  started: 2,
  response: 3,
  gap: 4,
  resources: 5,
  request: 6,
  failed: 8,
  succeeded: 8,
  takenOver: 9,
  note: 10,
  nextAttempt: 11,
}
/** A response at the time of its request comes after it. */
const IMMEDIATE_RESPONSE = 7

const rankOf = (entry: HistoryEntry) =>
  entry.kind === 'response' && entry.bar.from === entry.at ? IMMEDIATE_RESPONSE : RANK[entry.kind]

/** Everything that is recorded about an operation, with the loaded attempts, oldest first. */
export function historyOf(operation: OperationDetail, timeline: CallTimeline): HistoryEntry[] {
  const rows = rowsOf(timeline).map(({ row }) => row)
  const entries: HistoryEntry[] = [
    ...eventsOf(operation),
    ...rows.flatMap(({ bars }) => bars.flatMap((bar) => attemptEntries(bar))),
    ...rows.flatMap(({ gaps }) =>
      gaps.map((gap) => ({
        id: `gap ${gap.stage} ${gap.pluginId} ${gap.first}`,
        at: gap.from,
        kind: 'gap' as const,
        gap,
      })),
    ),
  ]
  const { between, count } = timeline.resources
  if (between !== null && count > 0)
    entries.push({ id: 'resources', at: between.from, kind: 'resources', to: between.to, count })
  return entries.sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b))
}

function eventsOf(operation: OperationDetail): HistoryEntry[] {
  const { requestedBy, reason, createdAt, startedAt, finishedAt, nextAttemptAt, failure, run } = operation
  const { retries, takeover, state, notes = [] } = operation
  const created = Date.parse(createdAt)
  const entries: HistoryEntry[] = [
    { id: 'requested', at: created, kind: 'requested', by: requestedBy, reason },
  ]
  const started = momentOf(startedAt)
  if (started !== null)
    entries.push({ id: 'started', at: started, kind: 'started', waitedMs: Math.max(0, started - created) })
  for (const retry of retries) {
    const failedAt = momentOf(retry.failedAt)
    if (failedAt !== null && retry.failure !== null) {
      const before = retry.run - 1
      entries.push({
        id: `failed ${before}`,
        at: failedAt,
        kind: 'failed',
        run: before,
        failure: retry.failure,
      })
    }
    const { startedBy: by, reason: why } = retry
    const at = Date.parse(retry.startedAt)
    entries.push({ id: `retried ${retry.run}`, at, kind: 'retried', run: retry.run, by, reason: why })
  }
  const finished = momentOf(finishedAt)
  if (finished !== null && state === 'SUCCEEDED')
    entries.push({ id: 'succeeded', at: finished, kind: 'succeeded' })
  if (finished !== null && failure !== null && (state === 'FAILED' || state === 'TAKEN_OVER'))
    entries.push({ id: `failed ${run}`, at: finished, kind: 'failed', run, failure })
  if (takeover !== null)
    entries.push({ id: 'takenOver', kind: 'takenOver', ...takeover, at: Date.parse(takeover.at) })
  for (const note of notes)
    entries.push({ id: `note ${note.number}`, at: Date.parse(note.at), kind: 'note', note })
  const next = momentOf(nextAttemptAt)
  if (next !== null && state === 'WAITING') entries.push({ id: 'next', at: next, kind: 'nextAttempt' })
  return entries
}

function attemptEntries(bar: Bar): HistoryEntry[] {
  const name = `${bar.stage} ${bar.pluginId} ${bar.attempt.attempt}`
  const request: HistoryEntry = { id: `request ${name}`, at: bar.from, kind: 'request', bar }
  // the end of an interrupted attempt is not recorded
  if (bar.to === null || bar.attempt.durationMs === null) return [request]
  return [request, { id: `response ${name}`, at: bar.to, kind: 'response', bar }]
}
