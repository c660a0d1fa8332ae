import { SUITES } from './suites.ts'
import type { SuiteOptions, SuiteReport, Violation } from './suite.ts'

const MOST_SHOWN = 20

/** Runs suites one after the other and prints what each tried and found. */
export async function prove({ suites, ...options }: SuiteOptions & { suites: readonly string[] }): Promise<{
  passed: number
  failed: number
  failures: string[]
}> {
  const total = { passed: 0, failed: 0, failures: [] as string[] }
  for (const name of suites) {
    const report = await runSuite(name, options)
    total.passed += report.passed
    total.failed += report.failed
    total.failures.push(...report.violations.slice(0, MOST_SHOWN).map((violation) => told(name, violation)))
    if (options.isBailing && total.failed > 0) break
  }
  return total
}

async function runSuite(name: string, options: SuiteOptions): Promise<SuiteReport> {
  const load = SUITES[name]
  if (load === undefined) throw new RangeError(`there is no suite ${name}`)
  const suite = await load()
  console.log(`\n${suite.name}: ${suite.title}`)
  const started = performance.now()
  const report = await suite.run(options).catch((error: unknown): SuiteReport => ({
    tried: [],
    passed: 0,
    failed: 1,
    violations: [
      { promise: 'the suite runs', seen: error instanceof Error ? String(error.stack) : String(error) },
    ],
  }))
  for (const line of report.tried) console.log(`  ${line}`)
  for (const violation of report.violations.slice(0, MOST_SHOWN)) console.log(`  ✖ ${told(name, violation)}`)
  if (report.violations.length > MOST_SHOWN)
    console.log(`  … and ${report.violations.length - MOST_SHOWN} more violations`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`  ${report.passed} passed, ${report.failed} failed (${seconds} s)`)
  return report
}

function told(suite: string, { promise, seen, seed }: Violation): string {
  const again = seed === undefined ? '' : `\n      npm run prove -- --suite ${suite} --seed ${seed}`
  return `${promise}: ${seen}${again}`
}
