import { useRichText, useText } from '../../i18n/use-text.ts'
import { Countdown } from '../../ui/Time.tsx'
import { useNow } from '../../ui/use-now.ts'

/** When a waiting operation is retried automatically. */
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
