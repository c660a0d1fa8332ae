import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** Counts the tests (not their suites) of a run and lists those that failed; its only line of output is JSON. */
export default async function* tally(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const count = { passed: 0, failed: 0, skipped: 0, failures: [] as string[] }
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.data.details.type === 'suite') continue
    if (event.data.skip !== undefined) count.skipped += 1
    else if (event.type === 'test:pass') count.passed += 1
    else {
      count.failed += 1
      count.failures.push(`${relative(process.cwd(), event.data.file ?? '')}: ${event.data.name}`)
    }
  }
  yield JSON.stringify(count)
}
