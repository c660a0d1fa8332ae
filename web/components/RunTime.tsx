import type { Operation } from '#contract/console-api/shapes.ts'
import { Duration } from '../ui/Time.tsx'

/** How long an operation has worked. The time between its runs, while nobody had retried it, is not counted. */
export function RunTime({
  operation: { runStartedAt, finishedAt, earlierRunsMs },
}: {
  operation: Pick<Operation, 'runStartedAt' | 'finishedAt' | 'earlierRunsMs'>
}) {
  if (runStartedAt === null) return null
  const since = Date.parse(runStartedAt) - earlierRunsMs
  return finishedAt === null ? <Duration since={since} /> : <Duration ms={Date.parse(finishedAt) - since} />
}
