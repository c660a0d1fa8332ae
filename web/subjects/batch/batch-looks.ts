import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import type { Translate } from '../../i18n/use-text.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'

type Shown = Pick<Batch, 'state' | 'counts' | 'waiting'>

interface Look {
  tone: Tone
  icon: IconName
}

export const batchLook: Record<Batch['state'], Look> = {
  RUNNING: { tone: 'live', icon: 'running' },
  PAUSED: { tone: 'doubt', icon: 'waiting' },
  STOPPED: { tone: 'quiet', icon: 'nothing' },
  DONE: { tone: 'ok', icon: 'done' },
}

/** A batch that waits between waves for more than time: a retry that succeeds, or a person who continues or stops it. */
export const needsPerson = ({ waiting }: Pick<Batch, 'waiting'>): boolean =>
  waiting !== undefined && waiting.because.some((reason) => reason !== 'SOAK')

/** A batch that has ended although some of its items were not done does not look as if all were. */
export const lookOfBatch = ({ state, counts, waiting }: Shown): Look =>
  waiting !== undefined
    ? { tone: needsPerson({ waiting }) ? 'doubt' : 'live', icon: 'waiting' }
    : state === 'DONE' && notDone(counts) > 0
      ? { tone: 'doubt', icon: 'warning' }
      : batchLook[state]

/** How many items ended without being carried out. */
export const notDone = ({ FAILED, REFUSED, SKIPPED }: Batch['counts']): number => FAILED + REFUSED + SKIPPED

/** The state in words, with the number of items that were not done. */
export const batchStateText = ({ state, counts, waiting }: Shown, t: Translate): string =>
  waiting !== undefined
    ? t('batches.state.waiting')
    : state === 'DONE' && notDone(counts) > 0
      ? t('batches.state.DONE.partly', { n: notDone(counts) })
      : t(`batches.state.${state}`)

export const itemLook: Record<BatchItem['state'], Look> = {
  PENDING: { tone: 'quiet', icon: 'pending' },
  RUNNING: { tone: 'live', icon: 'running' },
  SUCCEEDED: { tone: 'ok', icon: 'done' },
  FAILED: { tone: 'fail', icon: 'failed' },
  REFUSED: { tone: 'doubt', icon: 'warning' },
  SKIPPED: { tone: 'quiet', icon: 'nothing' },
}
