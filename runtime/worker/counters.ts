/** What a worker has done since it began; numbers that only grow. */
export interface Tally {
  claims: number
  /** Operations that those claims brought. */
  claimed: number
  /** Transactions that advanced several operations at once. */
  batches: number
  /** Operations that went on in them. */
  advanced: number
  /** Operations that went on in transactions of their own, because they could not go with others. */
  advancedAlone: number
  /** Operations that succeeded or failed. */
  ended: number
  /** Calls made. */
  calls: number
  /** Leases that ran out or were taken while they were worked with. */
  leasesLost: number
}

export const nothingDone = (): Tally => ({
  claims: 0,
  claimed: 0,
  batches: 0,
  advanced: 0,
  advancedAlone: 0,
  ended: 0,
  calls: 0,
  leasesLost: 0,
})
