import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const SLOWEST = 8
const REASON_LENGTH = 200

type Failure = Extract<TestEvent, { type: 'test:fail' }>

/** Whether a suite failed by its own hook, and not by its tests. */
export const isHookFailure = (event: TestEvent): event is Failure =>
  event.type === 'test:fail' &&
  'failureType' in event.data.details.error &&
  event.data.details.error.failureType === 'hookFailed'

/** The test, and the first line of what it threw: enough to find it in the log. */
function describeFailure({ file, name, details }: Failure['data']): string {
  const { cause, message } = details.error
  const [reason = ''] = (cause instanceof Error ? cause.message : message).split('\n', 1)
  return `${relative(process.cwd(), file ?? '')}: ${name} (${reason.slice(0, REASON_LENGTH)})`
}

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
    if (event.data.details.type === 'suite') {
      // its tests are only said to be cancelled
      if (isHookFailure(event)) count.failures.push(describeFailure(event.data))
      continue
    }
    if (event.data.skip !== undefined) count.skipped += 1
    else if (event.type === 'test:pass') count.passed += 1
    else {
      count.failed += 1
      count.failures.push(describeFailure(event.data))
    }
  }
  files.sort((a, b) => b.seconds - a.seconds)
  yield JSON.stringify({ ...count, slowest: files.slice(0, SLOWEST) })
}
