import { relative } from 'node:path'
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'
import { isSuiteFailure } from './tally-reporter.ts'

/** One line per test file, and every failure in full: what people want to see of two thousand tests. */
export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === 'test:fail' && (event.data.details.type !== 'suite' || isSuiteFailure(event))) {
      const { name, file, details } = event.data
      yield `✖ ${relative(process.cwd(), file ?? '')}: ${name}\n${inspect(details.error, { depth: 6 })}\n`
    }
    if (event.type === 'test:stderr') yield event.data.message
  }
}
