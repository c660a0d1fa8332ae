import type { Attempt, Failure, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import { INVALID_RESPONSE, NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import { namesProperty } from '#contract/protocol/named-property.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { failurePointOf, isReached, nextCalls, rowsOf, type Row, type CallTimeline } from './timeline.ts'
import { isRejected, isSuccess } from './verdict.ts'

/** A plugin call by its name. */
export interface CallName {
  pluginId: string
  stage: Stage
}

/** How far an operation came. Once it has stopped, each of its calls is counted exactly once. */
export interface Progress {
  done: CallName[]
  /** Calls that did not succeed, and that the plugin rejected, reported as failed, or never received. */
  failed: CallName[]
  /** Calls that the plugin may have acted on, without a definite result. */
  unknown: CallName[]
  /** The number of resources, once they were changed. */
  resources: number | null
  /** Calls that were never sent. */
  notReached: CallName[]
}

/** Whether the resources are changed as the plan says. */
export const isApplied = ({ phase }: Pick<OperationDetail, 'phase'>): boolean =>
  phase === 'AFTER_RESOURCES' || phase === 'DONE'

export function progressOf(operation: OperationDetail, timeline: CallTimeline): Progress {
  const progress: Progress = {
    done: [],
    failed: [],
    unknown: [],
    resources: isApplied(operation) ? operation.resources.length : null,
    notReached: [],
  }
  for (const { stage, row } of rowsOf(timeline)) {
    const call = callOf(operation, stage, row.pluginId)
    const standing = call && standingOf(call, row)
    if (standing) progress[standing].push({ pluginId: row.pluginId, stage })
  }
  return progress
}

/** What became of a call; null while it is in progress. */
function standingOf(call: PluginCall, row: Row) {
  const { result } = row
  if (!isReached(row)) return 'notReached'
  if (result === 'IN_FLIGHT') return null
  if (result !== 'NOT_CALLED' && isSuccess(result)) return 'done'
  const failure = lastInTime(call)?.failure
  if (!failure) return result === 'FAILED' && call.uncertainAttempts === 0 ? 'failed' : 'unknown'
  const { kind } = effectOf(failure, call)
  return kind === 'unknown' || kind === 'invalid' || kind === 'earlier' || kind === 'late'
    ? 'unknown'
    : 'failed'
}

/**
 * What is known about the effect of the call that failed: that there is none, that the plugin rejected the call, that it
 * reported the failure itself, or that nobody knows. `answered` counts attempts that the plugin answered before the call could no
 * longer be made. `late`: it applied an earlier attempt whose response came too late to count. `earlier` counts attempts with an
 * unknown result before a definite failure, with those that are not loaded.
 */
export type Effect =
  | { kind: 'none' | 'rejected' | 'unknown' | 'invalid' | 'failed' | 'late' }
  | { kind: 'earlier' | 'answered'; attempts: number }

export function effectOf(failure: Failure, { uncertainAttempts, attempts }: PluginCall): Effect {
  const reason = isFromPlugin(failure) ? null : reasonOf(failure)
  if (reason === null || reason === 'callReportedFailed') {
    if (isAppliedLate(attempts)) return { kind: 'late' }
    return uncertainAttempts > 0 ? { kind: 'earlier', attempts: uncertainAttempts } : { kind: 'failed' }
  }
  if (INVALID_RESPONSE.has(reason)) return { kind: 'invalid' }
  if (NOT_RECEIVED.has(reason)) {
    if (uncertainAttempts > 0) return { kind: 'earlier', attempts: uncertainAttempts }
    const answered = attempts.filter((attempt) => attempt.failure && isFromPlugin(attempt.failure))
    return answered.length > 0 ? { kind: 'answered', attempts: answered.length } : { kind: 'none' }
  }
  if (!isRejected(failure)) return { kind: 'unknown' }
  // the runtime counts rejected attempts as uncertain; nobody knows whether those between the loaded ones were rejected
  const rejected = attempts.filter((attempt) => attempt.failure && isRejected(attempt.failure))
  const others = uncertainAttempts - rejected.length
  return others > 0 ? { kind: 'earlier', attempts: others } : { kind: 'rejected' }
}

/** Whether the plugin applied an attempt whose response came too late to count. */
const isAppliedLate = (attempts: PluginCall['attempts']): boolean =>
  attempts.some(({ late, outcome }) => late && outcome === 'APPLIED')

/**
 * What a failed operation means for its installation. NOT_INSTALLED: nothing runs yet; UNCHANGED: it runs as before;
 * ACTED: it does, but plugins have acted or may have; INSTALLED, CHANGED: its resources are in place, and what its plugins
 * had to do afterwards is not; KEPT: it runs, and nothing of it is removed; REMOVING: it runs, and plugins may have begun to
 * remove what belongs to it; REMOVED: its resources are removed, and plugins still hold what belongs to it; UNFINISHED: it
 * was never installed completely.
 */
export function impactOf(operation: OperationDetail) {
  const isChanged = isApplied(operation)
  const mayHaveActed = actedIn(operation).length > 0
  switch (operation.operationType) {
    case 'INSTALL':
      return isChanged ? 'INSTALLED' : 'NOT_INSTALLED'
    case 'DETACH':
      if (operation.currentVersion === null) return 'UNFINISHED'
      return isChanged ? 'REMOVED' : mayHaveActed ? 'REMOVING' : 'KEPT'
    default:
      if (isChanged) return 'CHANGED'
      return mayHaveActed ? 'ACTED' : 'UNCHANGED'
  }
}

/**
 * The plugins that have acted in the operation, or may have. A DETACH that took over another operation calls its plugins, and
 * nothing is known here of their calls in that one.
 */
export const actedIn = ({ stages, takesOver }: OperationDetail): string[] => {
  const calls = stages.flatMap((of) => of.calls).filter((call) => takesOver !== null || mayHaveEffect(call))
  return [...new Set(calls.map(({ pluginId }) => pluginId))]
}

function mayHaveEffect(call: PluginCall): boolean {
  if (call.outcome === 'APPLIED' || call.effectUnknown === true || isAppliedLate(call.attempts)) return true
  if (call.uncertainAttempts === 0) return false
  const failure = lastInTime(call)?.failure
  // the runtime counts rejected attempts as uncertain
  return !failure || effectOf(failure, call).kind !== 'rejected'
}

/** The last attempt whose result counts: a response that came late changes nothing. */
const lastInTime = ({ attempts }: PluginCall) => attempts.findLast(({ late }) => !late)

/** The call that the operation failed at; null if the runtime itself failed. */
export function failedCallOf(operation: OperationDetail, timeline: CallTimeline): PluginCall | null {
  const point = failurePointOf(timeline, operation)
  return point && callOf(operation, point.stage, point.pluginId)
}

/** The calls that failed beside the one that the operation failed at: those of one order are made in parallel. */
export function alsoFailed(
  operation: OperationDetail,
  timeline: CallTimeline,
): { pluginId: string; failure: Failure; attempt: Attempt }[] {
  const point = failurePointOf(timeline, operation)
  return nextCalls(timeline, operation).flatMap(({ pluginId, bars }) => {
    const last = bars.findLast(({ attempt }) => !attempt.late && attempt.run === operation.run)?.attempt
    return pluginId === point?.pluginId || last?.failure == null
      ? []
      : [{ pluginId, failure: last.failure, attempt: last }]
  })
}

/**
 * The plugins at which a retry resumes, without those that are retired and thus not called; and what is known of them: whose
 * earlier attempts may have acted, which applied one too late to count, and which never received the call.
 */
export function repeatsOf(operation: OperationDetail, timeline: CallTimeline) {
  const { phase, plugins } = operation
  const calls = operation.stages.find(({ stage }) => stage === phase)?.calls ?? []
  const called = nextCalls(timeline, operation).filter(
    ({ pluginId }) => plugins.find((plugin) => plugin.pluginId === pluginId)?.retired == null,
  )
  const effects = called.flatMap(({ pluginId }) => {
    const call = calls.find((one) => one.pluginId === pluginId)
    const failure = call && lastInTime(call)?.failure
    return failure ? [{ pluginId, kind: effectOf(failure, call).kind }] : []
  })
  const having = (...kinds: Effect['kind'][]) =>
    effects.flatMap(({ pluginId, kind }) => (kinds.includes(kind) ? [pluginId] : []))
  return {
    called: called.map(({ pluginId }) => pluginId),
    mayHaveActed: having('unknown', 'invalid', 'earlier'),
    late: having('late'),
    notReceived: having('none'),
  }
}

/** The changes of the operation itself that the plugin names in its failure: a retry sends the same again. */
export function namedChanges({ changes, failure }: OperationDetail): OperationDetail['changes'] {
  // what this platform refused the plugin is not about the value
  if (failure === null || !isFromPlugin(failure) || failure.refusedHere !== undefined) return []
  return changes.filter(({ property, after }) =>
    namesProperty(failure, property, after !== null && 'value' in after ? after.value : null),
  )
}

const callOf = ({ stages }: OperationDetail, stage: Stage, pluginId: string): PluginCall | null =>
  stages.find((of) => of.stage === stage)?.calls.find((call) => call.pluginId === pluginId) ?? null
