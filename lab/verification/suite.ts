/** How much a suite tries: `quick` takes at most some minutes, `full` up to a night. */
export type Size = 'quick' | 'full'

export interface SuiteOptions {
  size: Size
  /** Runs only the trial of this seed, to examine one failure again; null runs all. */
  seed: number | null
  /** Runs this many trials instead of the size's number; null keeps the size's number. */
  count: number | null
  /** Stops at the first violation. */
  isBailing: boolean
  /** A PostgreSQL server that the suite may create databases on, as a URL of its maintenance database. */
  databaseUrl: string
}

/** A promise that was broken. */
export interface Violation {
  /** The id of the promise, for example `I1`, or a short name specific to the suite. */
  promise: string
  /** What was observed, in one line. */
  seen: string
  /** Repeats the trial: `npm run verify -- --suite NAME --seed N`. */
  seed?: number
}

export interface SuiteReport {
  /** What was tried, with its figures, one line each. */
  lines: string[]
  /** How many trials were run, by kind: `{ 'crash points': 252 }`. */
  trials: Record<string, number>
  /** The suite has passed if this is empty. */
  violations: Violation[]
  /** Why nothing was tried; absent if the suite ran. */
  skipped?: string
}

export interface Suite {
  /** As given to `--suite`. */
  name: string
  /** What it verifies, in a few words. */
  title: string
  run(options: SuiteOptions): Promise<SuiteReport>
}
