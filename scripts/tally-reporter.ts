import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { SHARED_SUFFIX } from './share-processes.ts'

const SLOWEST = 8
const REASON_LENGTH = 200

type Failure = Extract<TestEvent, { type: 'test:fail' }>

const failureTypeOf = ({ details: { error } }: Failure['data']): unknown =>
  'failureType' in error ? error.failureType : undefined

/** Whether a suite failed by its own hook, or because its body or file threw, and not by its tests. */
export const isSuiteFailure = (event: TestEvent): event is Failure =>
  event.type === 'test:fail' &&
  event.data.details.type === 'suite' &&
  ['hookFailed', 'testCodeFailure'].includes(String(failureTypeOf(event.data)))

/** Whether several test files are imported by it; `shareProcesses` names it. */
const isShared = (file: string | undefined): boolean => file?.endsWith(SHARED_SUFFIX) === true

/** The test, and the first line of what it threw: enough to find it in the log. */
function describeFailure({ file, name, details }: Failure['data']): string {
  const { cause, message } = details.error
  const [reason = ''] = (cause instanceof Error ? cause.message : message).split('\n', 1)
  // the suite of a file has the name of the file
  const place = isShared(file) ? name : `${relative(process.cwd(), file ?? '')}: ${name}`
  return `${place} (${reason.slice(0, REASON_LENGTH)})`
}

/**
 * Counts the tests (not their suites) of a run, lists those that failed, and names the slowest files; its only line of
 * output is JSON.
 */
export default async function* tally(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const count = { passed: 0, failed: 0, skipped: 0, failures: [] as string[] }
  const files: { file: string; seconds: number }[] = []
  for await (const event of source) {
    if (event.type === 'test:summary' && event.data.file !== undefined && !isShared(event.data.file)) {
      const seconds = Math.round(event.data.duration_ms / 1000)
      files.push({ file: relative(process.cwd(), event.data.file), seconds })
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.data.details.type === 'suite') {
      if (isSuiteFailure(event)) {
        count.failures.push(describeFailure(event.data))
        // after a hook, its tests are reported as cancelled; after a throw, nothing else is reported
        if (failureTypeOf(event.data) !== 'hookFailed') count.failed += 1
      }
      if (event.data.nesting === 0 && isShared(event.data.file))
        files.push({ file: event.data.name, seconds: Math.round(event.data.details.duration_ms / 1000) })
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
