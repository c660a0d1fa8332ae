import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'

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

export const itemLook: Record<BatchItem['state'], Look> = {
  PENDING: { tone: 'quiet', icon: 'pending' },
  RUNNING: { tone: 'live', icon: 'running' },
  SUCCEEDED: { tone: 'ok', icon: 'done' },
  FAILED: { tone: 'fail', icon: 'failed' },
  REFUSED: { tone: 'doubt', icon: 'warning' },
  SKIPPED: { tone: 'quiet', icon: 'nothing' },
}
