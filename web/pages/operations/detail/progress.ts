import type { Failure, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import { INVALID_RESPONSE, isFromPlugin, NOT_RECEIVED, reasonOf } from '#contract/protocol/message-reason.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { failurePointOf, rowsOf, type Timeline } from './timeline.ts'
import { isSuccess } from './verdict.ts'

/** How far an operation came before it stopped. */
export interface Progress {
  done: { pluginId: string; stage: Stage }[]
  /** The number of resources, once they were changed. */
  resources: number | null
  /** Calls that were never sent. */
  notReached: number
}

export function progressOf({ resources, phase }: OperationDetail, timeline: Timeline): Progress {
  const rows = rowsOf(timeline)
  const isApplied = phase === 'AFTER_RESOURCES' || phase === 'DONE'
  return {
    done: rows.flatMap(({ stage, row }) =>
      row.result !== 'NOT_CALLED' && isSuccess(row.result) ? [{ pluginId: row.pluginId, stage }] : [],
    ),
    resources: isApplied ? resources.length : null,
    notReached: rows.filter(({ row }) => row.result === 'NOT_CALLED').length,
  }
}

/**
 * What is known about the effect of the call that failed: that there is none, that the plugin rejected the call, that it
 * reported the failure itself, or that nobody knows. `earlier` counts attempts with an unknown result before a definite
 * failure.
 */
export type Effect =
  | { kind: 'none' | 'rejected' | 'unknown' | 'invalid' | 'failed' }
  | { kind: 'earlier'; attempts: number }

export function effectOf(failure: Failure, { uncertainAttempts }: PluginCall): Effect {
  const reason = isFromPlugin(failure) ? null : reasonOf(failure)
  if (reason === null || reason === 'callReportedFailed') {
    return uncertainAttempts > 0 ? { kind: 'earlier', attempts: uncertainAttempts } : { kind: 'failed' }
  }
  if (INVALID_RESPONSE.has(reason)) return { kind: 'invalid' }
  if (NOT_RECEIVED.has(reason)) {
    return uncertainAttempts > 0 ? { kind: 'earlier', attempts: uncertainAttempts } : { kind: 'none' }
  }
  const status = Number(failure.parameters?.['status'])
  return { kind: reason === 'callHttpStatus' && (status === 401 || status === 403) ? 'rejected' : 'unknown' }
}

/** The call that the operation failed at; null if the runtime itself failed. */
export function failedCallOf(operation: OperationDetail, timeline: Timeline): PluginCall | null {
  const point = failurePointOf(timeline, operation)
  const stage = operation.stages.find((candidate) => candidate.stage === point?.stage)
  return stage?.calls.find(({ pluginId }) => pluginId === point?.pluginId) ?? null
}
