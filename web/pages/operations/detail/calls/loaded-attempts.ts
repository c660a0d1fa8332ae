import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import type { Attempt, OperationDetail } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { attemptCount } from './timeline.ts'

/** One attempt by its number. */
export type AttemptName = { stage: Stage; pluginId: string; attempt: number }

/** The chosen attempt, if it exists and the operation's answer leaves it out. */
export function missingAttempt(
  operation: OperationDetail,
  { stage, plugin, attempt }: OperationSearch,
): AttemptName | null {
  if (attempt === undefined || (stage === undefined && plugin === undefined)) return null
  const [named] = operation.stages
    .filter((candidate) => stage === undefined || candidate.stage === stage)
    .flatMap((of) =>
      of.calls
        .filter(({ pluginId }) => plugin === undefined || pluginId === plugin)
        .map((call) => ({ stage: of.stage, call })),
    )
  if (!named || attempt < 1 || attempt > attemptCount(named.call)) return null
  if (named.call.attempts.some((loaded) => loaded.attempt === attempt)) return null
  return { stage: named.stage, pluginId: named.call.pluginId, attempt }
}

/** The operation with more attempts of one call. */
export function withAttempts(
  operation: OperationDetail,
  { stage, pluginId }: AttemptName,
  attempts: readonly Attempt[],
): OperationDetail {
  return {
    ...operation,
    stages: operation.stages.map((of) => ({
      ...of,
      calls: of.calls.map((call) => {
        if (of.stage !== stage || call.pluginId !== pluginId) return call
        // the answer of the operation is the newer one
        const all = new Map([...attempts, ...call.attempts].map((attempt) => [attempt.attempt, attempt]))
        return { ...call, attempts: [...all.values()].sort((a, b) => a.attempt - b.attempt) }
      }),
    })),
  }
}
