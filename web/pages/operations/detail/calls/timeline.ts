import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import type { Attempt, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { CallOutcome, StepState } from '../../../../ui/states.ts'
import { isSuccess, isDefiniteFailure, verdictOf, type Verdict } from './verdict.ts'

/** One attempt as a bar of the timeline. */
export type Bar = {
  stage: Stage
  pluginId: string
  attempt: Attempt
  verdict: Verdict
  from: number
  /** Null while it is in flight. */
  to: number | null
}

/** Attempts that the response leaves out, by number, and the time in which they were made. */
export type Gap = { stage: Stage; pluginId: string; first: number; last: number; from: number; to: number }

export type Row = {
  pluginId: string
  order: number
  /** Other plugins have the same order and are called in parallel. */
  isParallel: boolean
  result: CallOutcome | Verdict
  bars: readonly Bar[]
  gaps: readonly Gap[]
  /** The number of attempts, with those in gaps. */
  count: number
  /** When this call is retried automatically. */
  retryAt: number | null
}

export type StageBand = { phase: Stage; state: StepState; rows: readonly Row[] }

export type ResourcesBand = {
  phase: 'RESOURCES'
  state: StepState
  count: number
  /** Not recorded separately: it is between the last call before and the first call after. */
  between: { from: number; to: number } | null
}

export type CallTimeline = { before: StageBand; resources: ResourcesBand; after: StageBand }

/** The operation as bands, rows and bars, in the order in which plugins are called. */
export function timelineOf(operation: OperationDetail): CallTimeline {
  const before = stageBand(operation, 'BEFORE_RESOURCES')
  const after = stageBand(operation, 'AFTER_RESOURCES')
  return { before, resources: resourcesBand(operation, before, after), after }
}

function stageBand(operation: OperationDetail, phase: Stage): StageBand {
  const stage = operation.stages.find((candidate) => candidate.stage === phase)
  const calls = stage?.calls ?? []
  return {
    phase,
    state: stage?.state ?? 'PENDING',
    rows: calls.map((call) => {
      const bars = barsOf(phase, call)
      return {
        pluginId: call.pluginId,
        order: call.order,
        isParallel: calls.filter(({ order }) => order === call.order).length > 1,
        result: resultOf(call),
        bars,
        gaps: gapsOf(bars),
        count: attemptCount(call),
        retryAt: retryAtOf(operation, phase, call),
      }
    }),
  }
}

export function barsOf(stage: Stage, call: PluginCall): Bar[] {
  return call.attempts.map((attempt) => {
    const from = Date.parse(attempt.startedAt)
    const verdict = verdictOf(attempt)
    const lasted = attempt.durationMs ?? (verdict === 'IN_FLIGHT' ? null : 0)
    return {
      stage,
      pluginId: call.pluginId,
      attempt,
      verdict,
      from,
      to: lasted === null ? null : from + lasted,
    }
  })
}

function gapsOf(bars: readonly Bar[]): Gap[] {
  return bars.flatMap((bar, index) => {
    const before = bars[index - 1]
    const first = before === undefined ? 1 : before.attempt.attempt + 1
    const { stage, pluginId, attempt, from: to } = bar
    if (first === attempt.attempt) return []
    return [{ stage, pluginId, first, last: attempt.attempt - 1, from: before?.to ?? to, to }]
  })
}

/** Whether the runtime has sent a call, also if its attempts are no longer stored. */
export const isReached = ({ result, count }: Row): boolean => count > 0 || result !== 'NOT_CALLED'

/** The number of attempts of a call. The last one is always in the response. */
export const attemptCount = ({ attempts }: PluginCall): number => attempts.at(-1)?.attempt ?? 0

/** The result of a call: its final outcome, else the result of its last attempt that was not late. */
function resultOf(call: PluginCall): CallOutcome | Verdict {
  const last = call.attempts.findLast(({ late }) => !late)
  if (last?.byPlatform) return verdictOf(last)
  if (call.outcome !== null && isSuccess(call.outcome)) return call.outcome
  if (last) return verdictOf(last)
  // retention has removed the attempts, and with them what the last one returned
  const isRemoved = call.attempts.length === 0 && call.runAttempts > 0
  return call.outcome ?? (isRemoved ? 'UNKNOWN' : 'NOT_CALLED')
}

function retryAtOf(operation: OperationDetail, stage: Stage, call: PluginCall): number | null {
  if (operation.state !== 'WAITING' || operation.nextAttemptAt === null || operation.phase !== stage)
    return null
  const last = call.attempts.at(-1)
  if (!last || (call.outcome !== null && isSuccess(call.outcome))) return null
  const verdict = verdictOf(last)
  return isSuccess(verdict) || isDefiniteFailure(verdict) ? null : Date.parse(operation.nextAttemptAt)
}

function resourcesBand(operation: OperationDetail, before: StageBand, after: StageBand): ResourcesBand {
  const state = operation.resources[0]?.state ?? (operation.phase === 'DONE' ? 'DONE' : 'PENDING')
  const begun = before.rows.flatMap(({ bars }) =>
    bars.flatMap((bar) => (bar.attempt.late ? [] : (bar.to ?? []))),
  )
  const ended = after.rows.flatMap(({ bars }) => bars.map(({ from }) => from))
  const from = begun.length > 0 ? Math.max(...begun) : momentOf(operation.startedAt)
  const to = ended.length > 0 ? Math.min(...ended) : momentOf(operation.finishedAt)
  // the runtime may record both calls in one statement, so the second can seem to start before the first has ended
  const between =
    state === 'DONE' && from !== null && to !== null
      ? { from: Math.min(from, to), to: Math.max(from, to) }
      : null
  return { phase: 'RESOURCES', state, count: operation.resources.length, between }
}

export const momentOf = (at: string | null): number | null => (at === null ? null : Date.parse(at))

/** All rows in keyboard order: band by band, row by row. */
export function rowsOf({ before, after }: CallTimeline): { stage: Stage; row: Row }[] {
  return [before, after].flatMap(({ phase, rows }) => rows.map((row) => ({ stage: phase, row })))
}

/** The start of each manual run. */
export function runsOf({ retries }: OperationDetail): { run: number; from: number }[] {
  return retries.map(({ run, startedAt }) => ({ run, from: Date.parse(startedAt) }))
}

export const choiceOf = ({ stage, pluginId, attempt }: Bar): Required<Omit<OperationSearch, 'view'>> => ({
  stage,
  plugin: pluginId,
  attempt: attempt.attempt,
})

/** The attempt in the address, else the failed one, else the last one. */
export function chosenBar(
  timeline: CallTimeline,
  operation: OperationDetail,
  choice: OperationSearch,
): Bar | null {
  const rows = rowsOf(timeline)
  if (choice.stage !== undefined || choice.plugin !== undefined) {
    const named = rows.find(
      ({ stage, row }) =>
        (choice.stage === undefined || stage === choice.stage) &&
        (choice.plugin === undefined || row.pluginId === choice.plugin),
    )
    const bar =
      named?.row.bars.find(({ attempt }) => attempt.attempt === choice.attempt) ?? named?.row.bars.at(-1)
    if (bar) return bar
  }
  return failurePointOf(timeline, operation)?.bar ?? lastBar(rows.flatMap(({ row }) => row.bars))
}

const lastBar = (bars: readonly Bar[]): Bar | null =>
  bars.reduce<Bar | null>((last, bar) => (last === null || bar.from >= last.from ? bar : last), null)

/** Where a failed operation stopped: the stage, the plugin, and its last attempt in this run, if there is one. */
export type FailurePoint = { stage: Stage; pluginId: string; bar: Bar | null }

/** Where a failed operation stopped; null if it stopped outside the two plugin stages, or no plugin has an open call. */
export function failurePointOf(timeline: CallTimeline, operation: OperationDetail): FailurePoint | null {
  const { failure, phase } = operation
  if (failure === null || (phase !== 'BEFORE_RESOURCES' && phase !== 'AFTER_RESOURCES')) return null
  const band = phase === 'BEFORE_RESOURCES' ? timeline.before : timeline.after
  const open = band.rows.filter((row) => row.result === 'NOT_CALLED' || !isSuccess(row.result))
  const row =
    open.find(({ pluginId }) => failure.errorPath?.includes(pluginId)) ??
    open.find(({ bars }) => bars.length > 0) ??
    open[0]
  if (!row) return null
  const inTime = row.bars.filter(({ attempt }) => !attempt.late && attempt.run === operation.run)
  return { stage: phase, pluginId: row.pluginId, bar: inTime.at(-1) ?? null }
}

/** The calls that a retry starts with: those of the first open order in the current stage. */
export function nextCalls(timeline: CallTimeline, operation: OperationDetail): readonly Row[] {
  const band =
    operation.phase === 'BEFORE_RESOURCES'
      ? timeline.before
      : operation.phase === 'AFTER_RESOURCES'
        ? timeline.after
        : null
  const open = band?.rows.filter((row) => row.result === 'NOT_CALLED' || !isSuccess(row.result)) ?? []
  return open.filter(({ order }) => order === open[0]?.order)
}
