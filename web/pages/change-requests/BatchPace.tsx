import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { joinClauses, labelled } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { wavesText } from '../../subjects/batch/typed-waves.ts'

type Limits = Pick<ChangeRequestDetail['input'], 'first' | 'concurrency' | 'stopAfterFailures' | 'waves'>

/** How carefully a batch is carried out: its limits, and its waves with their conditions. Nothing, without any. */
export function BatchPace({ limits: { first, concurrency, stopAfterFailures, waves } }: { limits: Limits }) {
  const t = useText()
  const pace = joinClauses(t, [
    first !== undefined && labelled(t, t('batches.fact.first'), String(first)),
    concurrency !== undefined && labelled(t, t('batches.fact.concurrency'), String(concurrency)),
    stopAfterFailures !== undefined && labelled(t, t('batches.fact.failures'), String(stopAfterFailures)),
  ])
  return (
    <>
      {pace !== '' && <p>{pace}</p>}
      {waves !== undefined && <p>{labelled(t, t('batches.waves'), wavesText(waves, t))}</p>}
    </>
  )
}
