import type { WorkerCounters } from '../model/worker-status.ts'

export const zeroCounters = (): WorkerCounters => ({
  leasePolls: 0,
  leased: 0,
  batches: 0,
  advanced: 0,
  advancedAlone: 0,
  ended: 0,
  calls: 0,
  leasesLost: 0,
})
