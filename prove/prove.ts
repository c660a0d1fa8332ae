import { SUITES } from './suites.ts'
import type { SuiteOptions, SuiteReport } from './suite.ts'

const MOST_SHOWN = 20

/** Runs suites one after the other and prints what each tried and found. */
export async function prove({
  suites,
  ...options
}: SuiteOptions & { suites: readonly string[] }): Promise<{ passed: number; failed: number }> {
  const total = { passed: 0, failed: 0 }
  for (const name of suites) {
    const report = await runSuite(name, options)
    total.passed += report.passed
    total.failed += report.failed
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
  for (const { promise, seen, seed } of report.violations.slice(0, MOST_SHOWN)) {
    const again = seed === undefined ? '' : `\n      npm run prove -- --suite ${name} --seed ${seed}`
    console.log(`  ✖ ${promise}: ${seen}${again}`)
  }
  if (report.violations.length > MOST_SHOWN)
    console.log(`  … and ${report.violations.length - MOST_SHOWN} more violations`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`  ${report.passed} passed, ${report.failed} failed (${seconds} s)`)
  return report
}
