/** What a worker has done since it started, as numbers that only increase. */
export interface WorkerCounters {
  /** Looks for due operations, whether or not there were any. */
  polls: number
  leasePolls: number
  /** Operations that were leased. */
  leased: number
  /** Transactions that advanced several operations at once. */
  batches: number
  /** Operations that were advanced in them. */
  advanced: number
  /** Operations that were advanced in separate transactions, because they could not share one. */
  advancedAlone: number
  /** Operations that succeeded or failed. */
  ended: number
  /** Calls made. */
  calls: number
  /** Leases that expired or were taken while the worker held them. */
  leasesLost: number
}

/** The current state of a worker. */
export interface WorkerStatus extends WorkerCounters {
  /** Operations held now. */
  held: number
  /** Plugins that left several calls unanswered and get one call at a time. */
  troubledPlugins: string[]
}
