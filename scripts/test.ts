import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '#database/testing.ts'
import { CONCURRENT_SUITES, runSuites } from '../lab/verification/run-suites.ts'
import { SUITES } from '../lab/verification/suites.ts'
import { runChecks } from './checks.ts'
import { buildConsole } from './console-build.ts'
import { runComponentTests } from './component-tests.ts'
import { runEndToEnd } from './end-to-end.ts'
import { prepareBrowser } from './prepare-browser.ts'
import { root, runNode } from './process.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'

/** One more than two cores can run: test files wait for the database and for timers about a third of their time. */
const CONCURRENT_FILES = 3

/** Runs every test file of the servers and the contract against one PostgreSQL that is started for the run. */
async function runUnitTests(): Promise<Tally> {
  const files = globSync(
    '{contract,http-kit,database,packages,plugin,runtime,bff,operating,e2e,lab/verification,scripts,web}/**/*.test.ts',
    // a test of what authors start from runs in their folder
    { cwd: root, exclude: ['packages/plugin-sdk/template/**'] },
  ).sort()
  const tally = join(root, '.cache', 'tally.json')
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
        `--test-reporter-destination=${tally}`,
        ...files,
      ],
      { env: { TEST_DATABASE_URL: server.url, TMPDIR: temporary } },
    )
    // written by the reporter
    const { slowest, ...count } = JSON.parse(readFileSync(tally, 'utf8')) as Omit<Tally, 'kind'> & {
      slowest: { file: string; seconds: number }[]
    }
    console.log(`Unit and HTTP tests: ${count.passed} passed, ${count.failed} failed`)
    console.log(`Slowest files: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`)
    const isBroken = count.failed === 0 && code !== 0
    return {
      kind: 'tests',
      ...count,
      ...(isBroken && { failed: 1, failures: ['a test file ended with an error'] }),
    }
  } finally {
    await server.stop()
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The quick form of the suites that judge a change; the others run each night. */
async function runVerification(): Promise<Tally> {
  await prepareBrowser()
  const result = await runSuites({
    size: 'quick',
    seed: null,
    count: null,
    isBailing: false,
    concurrent: CONCURRENT_SUITES,
    suites: Object.keys(SUITES),
  })
  return { kind: 'tests', ...result }
}

const STAGES: Readonly<Record<string, () => Promise<Tally>>> = {
  checks: runChecks,
  unit: runUnitTests,
  components: () => runComponentTests([]),
  verification: runVerification,
  journeys: () => runEndToEnd([]),
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(STAGES, name))
if (unknown.length > 0) {
  console.error(`There is no stage ${unknown.join(', ')}. There are: ${Object.keys(STAGES).join(', ')}.`)
  process.exit(2)
}
mkdirSync(join(root, '.cache'), { recursive: true })
const tallies: Tally[] = []
const durations: { name: string; seconds: number }[] = []
for (const [name, run] of Object.entries(STAGES)) {
  if (named.length > 0 && !named.includes(name)) continue
  const started = performance.now()
  tallies.push(await run())
  durations.push({ name, seconds: Math.round((performance.now() - started) / 1000) })
}
const total = durations.reduce((sum, { seconds }) => sum + seconds, 0)
console.log(
  `Duration: ${durations.map(({ name, seconds }) => `${name} ${seconds} s`).join(', ')}; in all ${total} s`,
)
process.exit(close(tallies))
