import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareBrowser } from './prepare-browser.ts'
import { root, runNode, tool } from './process.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'

const SLOWEST = 8

/** Runs the Playwright journeys on the built console; further arguments are passed to Playwright. */
export async function runEndToEnd(args: readonly string[]): Promise<Tally> {
  await prepareBrowser()
  const report = join(root, '.cache', 'playwright.json')
  const { code } = await runNode(
    [tool('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts', ...args],
    {
      env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    },
  )
  return tally(report, code)
}

interface Report {
  stats: { expected: number; unexpected: number; flaky: number }
  suites: ReportedSuite[]
}

interface ReportedSuite {
  file: string
  specs: { title: string; ok: boolean; tests: { results: { duration: number }[] }[] }[]
  suites?: ReportedSuite[]
}

function tally(report: string, code: number): Tally {
  try {
    const { stats, suites } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const { expected, unexpected, flaky } = stats
    // a pass on the second attempt is reported, so that someone looks for its cause
    if (flaky > 0)
      console.log(`${flaky} of the browser journeys passed only on the second attempt; see the list above`)
    console.log(`Slowest journeys: ${slowestOf(suites)}`)
    const failures = suites.flatMap(failuresIn)
    if (unexpected === 0 && code !== 0) failures.push('the browser journeys ended with an error')
    return { kind: 'journeys', passed: expected + flaky, failed: failures.length, failures }
  } catch {
    return { kind: 'journeys', passed: 0, failed: 1, failures: ['the browser journeys left no report'] }
  }
}

/** `journeys/live.e2e.ts "a save …" 12 s, …`, with the time of all attempts. */
function slowestOf(suites: readonly ReportedSuite[]): string {
  const timesIn = ({ file, specs, suites: inner = [] }: ReportedSuite): { name: string; ms: number }[] => [
    ...specs.map(({ title, tests }) => ({
      name: `${file} "${title}"`,
      ms: tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0),
    })),
    ...inner.flatMap(timesIn),
  ]
  return suites
    .flatMap(timesIn)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${name} ${Math.round(ms / 1000)} s`)
    .join(', ')
}

function failuresIn({ file, specs, suites = [] }: ReportedSuite): string[] {
  const failed = specs.filter(({ ok }) => !ok).map(({ title }) => `${file}: ${title}`)
  return [...failed, ...suites.flatMap(failuresIn)]
}

if (import.meta.main) process.exit(close([await runEndToEnd(process.argv.slice(2))]))
