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
    // a pass at the second try is a finding, not a pass
    const failed = (stats['unexpected'] ?? 0) + (stats['flaky'] ?? 0)
    return { passed: stats['expected'] ?? 0, failed: failed === 0 && code !== 0 ? 1 : failed }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
