import type { Operation } from '#contract/console-api/shapes.ts'
import { Duration } from '../../ui/Time.tsx'
import { runTimeOf } from './run-time.ts'

/** How long an operation has worked. The time between its runs, while nobody had retried it, is not counted. */
export function RunTime({ operation }: { operation: Operation }) {
  const { runStartedAt, earlierRunsMs } = operation
  const ended = runTimeOf(operation)
  if (ended !== null) return <Duration ms={ended} />
  return runStartedAt !== null && <Duration since={Date.parse(runStartedAt) - earlierRunsMs} />
}
