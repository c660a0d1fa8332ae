/** What a worker has done since it began; numbers that only grow. */
export interface WorkerCounters {
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

/** What a worker is at. */
export interface WorkerStatus extends WorkerCounters {
  /** Operations held at this moment. */
  held: number
  /** Plugins that left several calls unanswered and are asked by one call at a time. */
  troubledPlugins: string[]
}
