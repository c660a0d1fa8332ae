/** How much of a suite is tried: `quick` is part of `npm test`, `full` is for a night. */
export type Size = 'quick' | 'full'

export interface SuiteOptions {
  size: Size
  /** Only what this seed makes, to look at one failure again; null is everything. */
  seed: number | null
  /** So many histories, points, trials … instead of as many as the size says; null is as the size says. */
  count: number | null
  /** Stop at the first violation. */
  isBailing: boolean
  /** A PostgreSQL server that the suite may make databases on, as a URL of its maintenance database. */
  databaseUrl: string
}

/** Something that was promised and did not hold. */
export interface Violation {
  /** Which promise, for example `I1`, or a short name of the suite's own. */
  promise: string
  /** What was seen, in one line. */
  seen: string
  /** Makes the same history again: `npm run prove -- --suite NAME --seed N`. */
  seed?: number
}

export interface SuiteReport {
  /** What was tried, a line each, with its figures. */
  tried: string[]
  /** Histories, crash points, cells, trials …: whatever is counted as one. */
  passed: number
  /** Of the same kind as `passed`; at least one where there is a violation. */
  failed: number
  violations: Violation[]
}

export interface Suite {
  /** As after `--suite`. */
  name: string
  /** What it proves, in a few words. */
  title: string
  run(options: SuiteOptions): Promise<SuiteReport>
}
