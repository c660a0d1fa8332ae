import type { WorkerCounters } from '../model/worker-status.ts'

export const zeroCounters = (): WorkerCounters => ({
  claims: 0,
  claimed: 0,
  batches: 0,
  advanced: 0,
  advancedAlone: 0,
  ended: 0,
  calls: 0,
  leasesLost: 0,
})
