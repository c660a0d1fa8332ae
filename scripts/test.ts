import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestServer } from '#database/testing.ts'
import { prove } from '../prove/prove.ts'
import { SUITES } from '../prove/suites.ts'
import { runChecks } from './checks.ts'
import { runEndToEnd } from './end-to-end.ts'
import { root, runNode } from './process.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'

/** Every test file of the servers and the contract, against one PostgreSQL that is started for the run. */
async function runUnitTests(): Promise<Tally> {
  const files = globSync('{contract,http-kit,database,plugin,runtime,bff,prove,scripts,web}/**/*.test.ts', {
    cwd: root,
  }).sort()
  const tally = join(root, '.cache', 'tally.json')
  const server = await startTestServer()
  try {
    const { code } = await runNode(
      [
        '--test',
        '--test-concurrency=2',
        // a file whose failed test left something open would never end
        '--test-timeout=300000',
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
    return count.failed === 0 && code !== 0
      ? { ...count, failed: 1, failures: ['a test file ended with an error'] }
      : count
  } finally {
    await server.stop()
  }
}

/** The quick form of every proof, on a server of its own: some of them leave much behind. */
async function runProofs(): Promise<Tally> {
  const server = await startTestServer()
  try {
    return await prove({
      size: 'quick',
      seed: null,
      count: null,
      isBailing: false,
      suites: Object.keys(SUITES),
      databaseUrl: server.url,
    })
  } finally {
    await server.stop()
  }
}

mkdirSync(join(root, '.cache'), { recursive: true })
process.exit(close([await runChecks(), await runUnitTests(), await runProofs(), await runEndToEnd([])]))
