import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '#database/testing.ts'
import { buildConsole } from './console-build.ts'
import { root, runNode } from './process.ts'
import type { Tally } from './tally.ts'

/** Two more than the cores: test files wait for the database and for timers, and with three at a time a fifth of two cores was idle. */
const CONCURRENT_FILES = 4

export interface UnitTally extends Omit<Tally, 'kind'> {
  slowest: { file: string; seconds: number }[]
}

/** Runs test files of the servers and the contract against one PostgreSQL that is started for the run. */
export async function runUnitFiles(files: readonly string[]): Promise<UnitTally> {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const report = join(root, '.cache', 'tally.json')
  // before the files start: several of them need it, and must not build it at the same time
  await buildConsole()
  const server = await startTestServer({ inMemory: true })
  // whatever the test files leave behind is removed with this folder
  const temporary = mkdtempSync(join(tmpdir(), 'tests-'))
  // as root, embedded databases of tests run as another user
  chmodSync(temporary, 0o755)
  try {
    const { code } = await runNode(
      [
        '--test',
        `--test-concurrency=${CONCURRENT_FILES}`,
        '--test-timeout=300000',
        '--import=./scripts/end-test-file.ts',
        '--test-reporter=./scripts/failures-reporter.ts',
        '--test-reporter-destination=stdout',
        '--test-reporter=./scripts/tally-reporter.ts',
        `--test-reporter-destination=${report}`,
        ...files,
      ],
      { env: { TEST_DATABASE_URL: server.url, TMPDIR: temporary } },
    )
    // written by the reporter
    const tally = JSON.parse(readFileSync(report, 'utf8')) as UnitTally
    const isBroken = tally.failed === 0 && code !== 0
    return { ...tally, ...(isBroken && { failed: 1, failures: ['a test file ended with an error'] }) }
  } finally {
    await server.stop()
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}
