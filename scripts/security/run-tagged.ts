import { runComponentTests } from '../component-tests.ts'
import { runEndToEnd } from '../end-to-end.ts'
import { runUnitFiles } from '../unit-tests.ts'
import type { Result } from './page.ts'
import type { TaggedTest } from './tagged-tests.ts'

const TAGGED = String.raw`\([A-Z]\d\d(, [A-Z]\d\d)*\)$`

/** Runs every tagged test, in its own runner. Returns the result of each requirement that has a test. */
export async function runTaggedTests(tests: readonly TaggedTest[]): Promise<Map<string, Result>> {
  const files = [...new Set(tests.map(({ file }) => file))]
  const journeys = files.filter((file) => file.endsWith('.e2e.ts'))
  const components = files.filter((file) => file.endsWith('.browser.test.tsx'))
  const units = files.filter((file) => !journeys.includes(file) && !components.includes(file))
  const failures = [
    // whole files: their tests may build on those before them
    ...(await runUnitFiles(units)).failures,
    ...(components.length === 0 ? [] : (await runComponentTests([...components, '-t', TAGGED])).failures),
    ...(journeys.length === 0 ? [] : (await runEndToEnd([...journeys, '--grep', TAGGED])).failures),
  ]
  for (const failure of failures) console.error(`✖ ${failure}`)
  const failed = new Set(failures.flatMap((failure) => [...failure.matchAll(/[A-Z]\d\d/g)].map(([id]) => id)))
  // a failure of a whole file or run names no test: then nothing is known of its tests
  const whole = failures.filter(
    (failure) => !failure.includes(': ') || files.includes(failure.split(': ')[1] ?? ''),
  )
  const isUnknown = ({ file }: TaggedTest) =>
    whole.some((failure) => !failure.includes(': ') || failure.startsWith(file))
  const results = new Map<string, Result>()
  for (const test of tests) {
    for (const id of test.ids) {
      const before = results.get(id)
      const isFailed = before?.state === 'failed' || failed.has(id) || isUnknown(test)
      results.set(id, { count: (before?.count ?? 0) + 1, state: isFailed ? 'failed' : 'passed' })
    }
  }
  return results
}
