import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureBrowser } from './browser.ts'
import { root, runNode, tool } from './process.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'

/**
 * Runs the component tests of the console in Chromium, half of them in each of two browsers; with arguments, which go to
 * Vitest, in one browser.
 */
export async function runComponentTests(args: readonly string[]): Promise<Tally> {
  const executable = ensureBrowser()
  const env = { ...(executable !== undefined && { CHROMIUM_PATH: executable }) }
  const shards =
    args.length > 0
      ? [runShard('', args, env)]
      : SHARDS.map((shard) =>
          runShard(shard, [`--shard=${shard}/${SHARDS.length}`], { ...env, VITEST_SHARD: shard }),
        )
  const tallies = await Promise.all(shards)
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
  const failures = tallies.flatMap((tally) => tally.failures)
  console.log(`Component tests: ${passed} passed, ${failures.length} failed`)
  return { kind: 'tests', passed, failed: failures.length, failures }
}

async function runShard(name: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const report = join(root, '.cache', `component-tests${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await runNode([tool('vitest/vitest.mjs'), 'run', ...reporters, ...args], { env })
  return tally(report, code)
}

const SHARDS = ['1', '2']

interface Report {
  numPassedTests: number
  testResults: ReportedFile[]
}

interface ReportedFile {
  name: string
  status: string
  assertionResults: { fullName: string; status: string }[]
}

function tally(report: string, code: number): Pick<Tally, 'passed' | 'failures'> {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const failures = testResults.flatMap(failuresIn)
    if (failures.length === 0 && code !== 0) failures.push('the component tests ended with an error')
    return { passed: numPassedTests, failures }
  } catch {
    return { passed: 0, failures: ['the component tests left no report'] }
  }
}

function failuresIn({ name, status, assertionResults }: ReportedFile): string[] {
  const file = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  // a file that cannot be loaded has no tests
  if (failed.length === 0 && status === 'failed') return [file]
  return failed.map(({ fullName }) => `${file}: ${fullName}`)
}

if (import.meta.main) process.exit(close([await runComponentTests(process.argv.slice(2))]))
