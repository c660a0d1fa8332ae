import { ALL_SUITES } from './suites.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from './suite.ts'

/** Per suite; the rest is only counted. */
const MAX_SHOWN = 20

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

/** Runs suites in sequence, and prints what each tried and found. */
export async function runSuites({
  suites,
  ...options
}: SuiteOptions & { suites: readonly string[] }): Promise<SuitesResult> {
  const total: SuitesResult = { passed: 0, failed: 0, skipped: [], failures: [], trials: {} }
  for (const name of suites) {
    const load = ALL_SUITES[name]
    if (load === undefined) throw new RangeError(`there is no suite "${name}"`)
    const { failures, trials, skipped } = await runSuite(await load(), options)
    if (skipped !== undefined) {
      total.skipped.push(`${name}: ${skipped}`)
      continue
    }
    for (const [kind, count] of Object.entries(trials)) total.trials[kind] = (total.trials[kind] ?? 0) + count
    total.failures.push(...failures)
    if (failures.length === 0) total.passed += 1
    else total.failed += 1
    if (options.isBailing && total.failed > 0) break
  }
  return total
}

/** Runs one suite; an error that it throws is a failure. */
export async function runSuite(
  suite: Suite,
  options: SuiteOptions,
): Promise<{ trials: Record<string, number>; failures: string[]; skipped?: string }> {
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
