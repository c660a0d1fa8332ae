import type { Operation } from '#contract/console-api/shapes.ts'

type Times = Pick<Operation, 'runStartedAt' | 'finishedAt' | 'earlierRunsMs'>

/** How long an operation that has ended has worked, in milliseconds; null while it works, and if it never started. */
export function runTimeOf({ runStartedAt, finishedAt, earlierRunsMs }: Times): number | null {
  if (runStartedAt === null || finishedAt === null) return null
  return earlierRunsMs + Date.parse(finishedAt) - Date.parse(runStartedAt)
}
