import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const SLOWEST = 8

/**
 * Counts the tests (not their suites) of a run, lists those that failed, and names the slowest files; its only line of
 * output is JSON.
 */
export default async function* tally(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const count = { passed: 0, failed: 0, skipped: 0, failures: [] as string[] }
  const files: { file: string; seconds: number }[] = []
  for await (const event of source) {
    if (event.type === 'test:summary' && event.data.file !== undefined) {
      const seconds = Math.round(event.data.duration_ms / 1000)
      files.push({ file: relative(process.cwd(), event.data.file), seconds })
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.data.details.type === 'suite') continue
    if (event.data.skip !== undefined) count.skipped += 1
    else if (event.type === 'test:pass') count.passed += 1
    else {
      count.failed += 1
      count.failures.push(`${relative(process.cwd(), event.data.file ?? '')}: ${event.data.name}`)
    }
  }
  files.sort((a, b) => b.seconds - a.seconds)
  yield JSON.stringify({ ...count, slowest: files.slice(0, SLOWEST) })
}
