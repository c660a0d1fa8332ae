import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Suite, SuiteReport } from '../suite.ts'

const MAJORS = [20, 22, 24]
const ROOT = join(import.meta.dirname, '../../..')
const TEST = 'lab/nightly/plugin-package.test.ts'
const INSTALL_MS = 120_000
/** On Node 20, npm may compile SQLite. */
const TEST_MS = 600_000

const execute = promisify(execFile)

/** "A plugin in ten minutes" on each version of Node that the SDK supports. */
export const AUTHOR_PAGE: Suite = {
  name: 'author-page',
  title: 'the commands of docs/plugin-in-ten-minutes.md on Node 20, 22 and 24',
  async run() {
    const report: SuiteReport = { lines: [], trials: {}, violations: [] }
    const missing: string[] = []
    for (const major of MAJORS) {
      const folder = mkdtempSync(join(tmpdir(), 'bundle-console-node-'))
      try {
        const node = await installNode(major, folder)
        if (node === null) {
          missing.push(`npm cannot install node@${major}`)
          continue
        }
        const seen = await tryPage(node)
        report.trials['versions of Node'] = (report.trials['versions of Node'] ?? 0) + 1
        report.lines.push(`Node ${await versionOf(node)}: ${seen === null ? 'as written' : 'failed'}`)
        if (seen !== null) report.violations.push({ promise: `the page on Node ${major}`, seen })
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
    if (missing.length === MAJORS.length) return { ...report, skipped: missing.join(', ') }
    report.lines.push(...missing.map((why) => `not tried: ${why}`))
    return report
  },
}

const versionOf = async (node: string): Promise<string> =>
  (await execute(node, ['--version'])).stdout.trim().slice(1)

/** The path of a Node of this major version: the one that runs this process, or one from npm; null if it has none. */
async function installNode(major: number, folder: string): Promise<string | null> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const node = join(folder, 'node_modules/node/bin/node')
  try {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${major}`], {
      timeout: INSTALL_MS,
    })
    return (await versionOf(node)).startsWith(`${major}.`) ? node : null
  } catch {
    return null
  }
}

/** Runs the test of the page for an author with this Node; returns what failed, or null. */
async function tryPage(node: string): Promise<string | null> {
  const ours = dirname(process.execPath)
  const env = {
    ...process.env,
    AUTHOR_NODE: node,
    PATH: `${ours}${delimiter}${process.env['PATH'] ?? ''}`,
    // Inside a test, node:test would report to the process that runs this one.
    NODE_TEST_CONTEXT: undefined,
  }
  try {
    await execute(process.execPath, ['--test', '--test-reporter=spec', TEST], {
      cwd: ROOT,
      env,
      timeout: TEST_MS,
      maxBuffer: 1e8,
    })
    return null
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
    return output.slice(output.indexOf('failing tests')).replaceAll(/\s+/g, ' ').slice(0, 1_000)
  }
}
