import type { Operation } from '#contract/console-api/shapes.ts'
import { Duration, Countdown } from '../../ui/Time.tsx'
import { runTimeOf } from './operation-texts.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { useNow } from '../../ui/use-now.ts'

/** How long an operation has worked. The time between its runs, while nobody had retried it, is not counted. */
export function RunTime({ operation }: { operation: Operation }) {
  const { runStartedAt, earlierRunsMs } = operation
  const ended = runTimeOf(operation)
  if (ended !== null) return <Duration ms={ended} />
  return runStartedAt !== null && <Duration since={Date.parse(runStartedAt) - earlierRunsMs} />
}

/** When a waiting operation is retried automatically; `at` is of {@link nextRetryOf}. */
export function RetriesIn({ at }: { at: string }) {
  const t = useText()
  const rich = useRichText()
  const isDue = Date.parse(at) <= useNow(1000)
  return (
    <span className="whitespace-nowrap tabular-nums">
      {isDue
        ? t('operations.list.retriesNow')
        : rich('operations.list.retriesIn', { time: <Countdown to={at} /> })}
    </span>
  )
}
