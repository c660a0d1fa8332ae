import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureBrowser } from './browser.ts'
import { root, runNode, tool } from './process.ts'
import type { Tally } from './tally.ts'

/** Runs the component tests of the console in Chromium; further arguments go to Vitest. */
export async function runComponentTests(args: readonly string[]): Promise<Tally> {
  const executable = ensureBrowser()
  const report = join(root, '.cache', 'component-tests.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await runNode([tool('vitest/vitest.mjs'), 'run', ...reporters, ...args], {
    env: { ...(executable !== undefined && { CHROMIUM_PATH: executable }) },
  })
  return tally(report, code)
}

interface Report {
  numPassedTests: number
  testResults: ReportedFile[]
}

interface ReportedFile {
  name: string
  status: string
  assertionResults: { fullName: string; status: string }[]
}

function tally(report: string, code: number): Tally {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const failures = testResults.flatMap(failuresIn)
    if (failures.length === 0 && code !== 0) failures.push('the component tests ended with an error')
    console.log(`Component tests: ${numPassedTests} passed, ${failures.length} failed`)
    return { kind: 'tests', passed: numPassedTests, failed: failures.length, failures }
  } catch {
    return { kind: 'tests', passed: 0, failed: 1, failures: ['the component tests left no report'] }
  }
}

function failuresIn({ name, status, assertionResults }: ReportedFile): string[] {
  const file = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  // a file that cannot be loaded has no tests
  if (failed.length === 0 && status === 'failed') return [file]
  return failed.map(({ fullName }) => `${file}: ${fullName}`)
}
