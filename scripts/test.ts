import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestServer } from '#database/testing.ts'
import { runChecks } from './checks.ts'
import { runEndToEnd } from './end-to-end.ts'
import { root, runNode } from './process.ts'

interface Tally {
  passed: number
  failed: number
}

/** Every test file of the servers and the contract, against one PostgreSQL that is started for the run. */
async function runUnitTests(): Promise<Tally> {
  const files = globSync('{contract,edge,database,plugin,runtime,bff,scripts,web}/**/*.test.ts', {
    cwd: root,
  }).sort()
  const tally = join(root, '.cache', 'tally.json')
  const server = await startTestServer()
  try {
    const { code } = await runNode(
      [
        '--test',
        '--test-concurrency=2',
        '--test-reporter=./scripts/failures-reporter.ts',
        '--test-reporter-destination=stdout',
        '--test-reporter=./scripts/tally-reporter.ts',
        `--test-reporter-destination=${tally}`,
        ...files,
      ],
      { env: { TEST_DATABASE_URL: server.url } },
    )
    const count = JSON.parse(readFileSync(tally, 'utf8')) as Tally
    console.log(`Unit and HTTP tests: ${count.passed} passed, ${count.failed} failed`)
    return count.failed === 0 && code !== 0 ? { ...count, failed: 1 } : count
  } finally {
    await server.stop()
  }
}

mkdirSync(join(root, '.cache'), { recursive: true })
const tallies = [await runChecks(), await runUnitTests(), await runEndToEnd([])]
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
