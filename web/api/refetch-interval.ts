import { ApiError } from './client.ts'

/** Lists that no event announces are read again after this time, while their page is visible. */
export const FOLLOW_MS = 5_000
/** What keeps the platform from working is looked for after this time, on every page. */
export const TROUBLES_MS = 15_000
/** While no events arrive, everything that a visible page shows is read again after this time. */
export const READ_AGAIN_MS = 30_000
/** A page that shows an outage refetches after this time. */
const OUTAGE_MS = 10_000

/** The interval of a query that failed: only an outage ends without the person. */
export const refetchAfterOutage = (error: unknown): number | false =>
  error instanceof ApiError && error.isUncertain ? OUTAGE_MS : false

/** The interval of a query that is read again after `ms`, unless it failed. */
export const followInterval = (error: unknown, ms: number): number | false =>
  error === null ? ms : refetchAfterOutage(error)
