import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { root } from '../../../scripts/process.ts'
import type { Suite, SuiteReport } from '../suite.ts'

/** What `scripts/tally-reporter.ts` prints. */
interface Tally {
  passed: number
  failed: number
  skipped: number
  failures: string[]
}

/** Tests that take minutes, because they install packages, stage an image, compile everything or start other programs. */
export const SLOW_TESTS: Suite = {
  name: 'slow-tests',
  title: 'the packages, the image, the reverse proxies, the alerts and the import boundaries',
  async run({ databaseUrl }): Promise<SuiteReport> {
    const files = globSync('lab/nightly/*.test.ts', { cwd: root }).sort()
    const { code, tally } = await runTests(files, databaseUrl)
    const failures =
      code !== 0 && tally.failures.length === 0 ? ['a test file ended with an error'] : tally.failures
    return {
      lines: [`${files.length} files; ${tally.skipped} tests skipped, because this machine lacks a program`],
      trials: { 'slow tests': tally.passed + tally.failed },
      violations: failures.map((seen) => ({ promise: 'the tests pass', seen })),
    }
  },
}

/** One file at a time: several compile or install, and would wait for each other. Prints each failure in full. */
async function runTests(
  files: readonly string[],
  databaseUrl: string,
): Promise<{ code: number | null; tally: Tally }> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-concurrency=1',
      '--test-reporter=./scripts/failures-reporter.ts',
      '--test-reporter-destination=stderr',
      '--test-reporter=./scripts/tally-reporter.ts',
      '--test-reporter-destination=stdout',
      ...files,
    ],
    {
      cwd: root,
      // inside a test, node:test would report to the process that runs this one
      env: { ...process.env, TEST_DATABASE_URL: databaseUrl, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const [output, code] = await Promise.all([text(child.stdout), closed])
  return { code, tally: JSON.parse(output) as Tally }
}
