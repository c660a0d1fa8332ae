import { fork } from 'node:child_process'
import { join } from 'node:path'
import { mapConcurrently } from './concurrency.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from './suite.ts'

/** Per suite; the rest is only counted. */
const MAX_SHOWN = 20

/** Of those that print no durations and rates, which a second suite on the same cores would falsify. */
export const CONCURRENT_SUITES = 2

/** What one suite tried and found. */
export interface SuiteResult {
  trials: Record<string, number>
  /** Each violation, with the command that repeats it. */
  failures: string[]
  /** Why it could not run on this machine; absent if it ran. */
  skipped?: string
}

/** A suite counts as one test; its trials are counted separately, by kind. */
export interface SuitesResult {
  passed: number
  failed: number
  /** Suites that could not run on this machine, each with the reason. */
  skipped: string[]
  /** Each violation, with the command that repeats it. */
  failures: string[]
  trials: Record<string, number>
}

export type SuitesOptions = Omit<SuiteOptions, 'databaseUrl'> & {
  suites: readonly string[]
  /** How many run at the same time. */
  concurrent: number
}

/**
 * Runs each suite in a separate process with its own PostgreSQL server, and prints what it tried and found. A shared server would let a
 * paused transaction of one suite hold back the events of another.
 */
export async function runSuites({ suites, concurrent, ...options }: SuitesOptions): Promise<SuitesResult> {
  const total: SuitesResult = { passed: 0, failed: 0, skipped: [], failures: [], trials: {} }
  const isAlone = concurrent === 1 || suites.length === 1
  const run = async (name: string): Promise<void> => {
    const { failures, trials, skipped } = await runInProcess(name, options, isAlone)
    if (skipped !== undefined) {
      total.skipped.push(`${name}: ${skipped}`)
      return
    }
    for (const [kind, count] of Object.entries(trials)) total.trials[kind] = (total.trials[kind] ?? 0) + count
    total.failures.push(...failures)
    if (failures.length === 0) total.passed += 1
    else total.failed += 1
  }
  await mapConcurrently(suites, concurrent, run, () => options.isBailing && total.failed > 0)
  return total
}

/** The output of suites that run beside each other is printed when each has ended, so that their lines do not mix. */
function runInProcess(
  name: string,
  options: Omit<SuiteOptions, 'databaseUrl'>,
  isAlone: boolean,
): Promise<SuiteResult> {
  const child = fork(join(import.meta.dirname, 'suite-process.ts'), [name, JSON.stringify(options)], {
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk))
  let result: SuiteResult | undefined
  child.on('message', (message) => (result = message as SuiteResult))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.stdout.write(Buffer.concat(output))
      const ended = `${name}: the process of the suite ended with ${signal ?? `code ${code}`}`
      resolve(result ?? { trials: {}, failures: [ended] })
    })
  })
}

/** Runs one suite; an error that it throws is a failure. */
export async function runSuite(suite: Suite, options: SuiteOptions): Promise<SuiteResult> {
  console.log(`\n${suite.name}: ${suite.title}`)
  const started = performance.now()
  const { lines, trials, violations, skipped } = await suite
    .run(options)
    .catch((error: unknown): SuiteReport => {
      const seen = error instanceof Error ? String(error.stack) : String(error)
      return { lines: [], trials: {}, violations: [{ promise: 'the suite runs', seen }] }
    })
  if (skipped !== undefined) {
    console.log(`  - skipped: ${skipped}`)
    return { trials, failures: [], skipped }
  }
  for (const line of lines) console.log(`  ${line}`)
  const failures = violations.slice(0, MAX_SHOWN).map((violation) => describeViolation(suite.name, violation))
  if (violations.length > MAX_SHOWN)
    failures.push(
      `${suite.name}: and ${violations.length - MAX_SHOWN} more; in all: ${byPromise(violations)}`,
    )
  for (const failure of failures) console.log(`  ✖ ${failure}`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const result = violations.length === 0 ? '✔ passed' : `✖ failed with ${violations.length} violations`
  console.log(`  ${result}: ${describeTrials(trials)} (${seconds} s)`)
  return { trials, failures }
}

/** `I6 12, I14 3` */
function byPromise(violations: readonly Violation[]): string {
  const counts = Map.groupBy(violations, ({ promise }) => promise)
  return [...counts].map(([promise, of]) => `${promise} ${of.length}`).join(', ')
}

function describeViolation(suite: string, { promise, seen, seed }: Violation): string {
  const command = seed === undefined ? '' : `\n      npm run verify -- --suite ${suite} --seed ${seed}`
  return `${suite}: ${promise}: ${seen}${command}`
}

/** `252 crash points, 5,310 fuzzed inputs` */
export function describeTrials(trials: Readonly<Record<string, number>>): string {
  return Object.entries(trials)
    .map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`)
    .join(', ')
}
