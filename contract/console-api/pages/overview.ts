const HOUR_MS = 3_600_000
/** How many hours the plot of operations shows. */
export const HOURS = 24

/** The first hour of the plot; the last contains `now`. Both in milliseconds since 1970. */
export const firstHour = (now: number): number => Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS

export const hourlyCountsCall = (first: number) => ({
  query: { bucket: 'hour' as const, since: new Date(first).toISOString() },
})

const SHOWN = 8
export const overviewCausesCall = { query: { limit: SHOWN } }
export const waitingOperationsCall = { query: { state: 'WAITING', limit: SHOWN } }
export const lockedInstallationsCall = {
  query: { claim: 'PENDING,RUNNING', sort: 'updatedAt' as const, limit: SHOWN },
}
/** Bundles with outdated installations. */
export const outdatedBundlesCall = { query: { upgrade: 'available' as const, limit: 5 } }
/** The newest operations that succeeded; the page shows what one person did to one bundle at one time as one change. */
export const recentChangesCall = { query: { state: 'SUCCEEDED', limit: 20 } }
/** The newest operations that the person requested: those in progress, and those that have just ended. */
export const myOperationsCall = (personId: string) => ({ query: { requestedBy: personId, limit: 20 } })
/** Includes those of the person. */
export const newestBatchesCall = { query: { limit: 20 } }
export const summaryCall = { query: {} }
export const recoveryCall = { query: {} }
/** What keeps the platform itself from working. */
export const troublesCall = { query: {} }
