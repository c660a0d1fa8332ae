import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBrowser } from './browser.ts'
import { buildConsole } from './console-build.ts'
import { root, runNode, tool } from './process.ts'

/** Runs the Playwright journeys on the built console; further arguments go to Playwright. */
export async function runEndToEnd(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  await buildConsole()
  const executable = ensureBrowser()
  const report = join(root, '.cache', 'playwright.json')
  const { code } = await runNode(
    [tool('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts', ...args],
    {
      env: {
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
        ...(executable !== undefined && { CHROMIUM_PATH: executable }),
      },
    },
  )
  return tally(report, code)
}

function tally(report: string, code: number): { passed: number; failed: number } {
  try {
    const { stats } = JSON.parse(readFileSync(report, 'utf8')) as { stats: Record<string, number> }
    const { expected = 0, unexpected = 0, flaky = 0 } = stats
    // a pass at the second try is told, so that somebody looks for its cause
    if (flaky > 0)
      console.log(`${flaky} of the browser journeys passed at the second try only; see the list above`)
    return { passed: expected + flaky, failed: unexpected === 0 && code !== 0 ? 1 : unexpected }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
